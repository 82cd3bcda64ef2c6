// mystage.rs -- feature.mystage: the n-grams of characters of a text column, as features.
//
// To make it yours, change: Cfg and PARAMS (settings of a script), negotiate (columns to read, and
// bounds of the output), process (the work on each record).
mod leat;
use leat::*;

#[repr(C)]
struct Cfg {
    column: Text,
    n: i64,
}
unsafe impl Zeroed for Cfg {}

static PARAMS: [Param; 2] = [
    param!(Cfg, column).flags(REQUIRED | POSITIONAL).doc(c"the column with the text"),
    param!(Cfg, n)
        .def(c"3")
        .range(1.0, 8.0)
        .unit(c"characters")
        .doc(c"length of an n-gram; shorter texts are one"),
];

/// State of a lane. Begins zeroed.
#[repr(C)]
struct Grams {
    column: TextColumn,
    field: u32, // of the names, as in "city=ber"
}
unsafe impl Zeroed for Grams {}

extern "C" fn negotiate(cfg: &Cfg, n: &mut Negotiation) -> Status {
    attempt(|| {
        n.column(Some(c"column"), cfg.column, TAKES_TEXT)?; // errors are already reported
        n.add_field(cfg.column)?;
        n.add_bounds(&Bounds {
            examples_per_record: 1,
            entries_per_256_bytes: 256, // at most one n-gram begins at each byte
            ..Bounds::default()
        });
        Ok(OK)
    })
}

extern "C" fn open(ctx: &Ctx<Cfg>, g: &mut Grams) -> Status {
    attempt(|| {
        g.column = ctx.text_column(ctx.cfg().column)?;
        g.field = ctx.out().fields().len() as u32 - 1; // added by negotiate
        Ok(OK)
    })
}

/// Returns the end of the n-gram that begins at `at`, which is at most the end of the text.
fn gram_end(text: &[u8], at: usize, n: i64) -> usize {
    (0..n).fold(at, |end, _| if end < text.len() { end + utf8_step(&text[end..]) } else { end })
}

fn add_example(ctx: &Ctx<Cfg>, g: &Grams, b: &mut Batch, r: Record) -> Result<Status, Status> {
    let field = ctx.cfg().column.bytes();
    let cell = b.cell(g.column, r);
    let len = b.text(cell).map_or(0, <[u8]>::len);
    let (mut at, mut end) = (0, 0);
    b.add_example(r)?;
    while at < len && end < len {
        let text = b.text(cell).unwrap_or(b"");
        end = gram_end(text, at, ctx.cfg().n);
        let id = ctx.feature_id(field, &text[at..end]);
        let gram = Str { off: cell.off + at as u32, len: (end - at) as u32 };
        at += utf8_step(&text[at..]);
        b.add_entry(id, 1.0, g.field, gram)?;
    }
    Ok(OK)
}

extern "C" fn process(ctx: &Ctx<Cfg>, g: &mut Grams, b: &mut Batch) -> Status {
    attempt(|| {
        b.each_record(|b, r| add_example(ctx, g, b, r)).map_err(|status| {
            ctx.fail(status, format_args!("more n-grams than negotiate has declared"))
        })
    })
}

static STAGE: Stage<Cfg, Grams> = Stage {
    name: text(c"feature.mystage"),
    summary: text(c"n-grams of characters"),
    doc: text(
        c"Each run of n characters of the column becomes a feature of value 1, named column=run.",
    ),
    example: text(c"leat.feature.mystage { \"city\", n = 3 }"),
    kind: TRANSFORM,
    caps: PARALLEL,
    needs: HAS_COLUMNS,
    makes: HAS_EXAMPLES | HAS_NAMES,
    negotiate: Some(negotiate),
    open: Some(open),
    process: Some(process),
    ..Stage::with(&PARAMS)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"n-grams of characters", STAGE);
