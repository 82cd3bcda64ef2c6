// mystage.rs -- parse.mystage: columns of lines such as "city: Bern; ms: 12".
//
// To make it yours, change: Cfg and PARAMS (settings of a script), negotiate (names of the new
// columns), process (finds the columns in each record, and rejects malformed ones).
mod leat;
use leat::*;

const COLUMNS_MAX: usize = 256;

#[repr(C)]
struct Cfg {
    columns: Strings,
}
unsafe impl Zeroed for Cfg {}

static PARAMS: [Param; 1] =
    [param!(Cfg, columns).flags(REQUIRED | POSITIONAL).doc(c"the keys that become columns")];

extern "C" fn validate(cfg: &Cfg, d: &mut Diag) -> Status {
    let n = cfg.columns.len();
    if n > COLUMNS_MAX {
        let what = format_args!("there are {n}, and at most {COLUMNS_MAX} are possible");
        d.error(Some(c"columns"), what);
    }
    OK
}

extern "C" fn negotiate(cfg: &Cfg, n: &mut Negotiation) -> Status {
    attempt(|| {
        for name in cfg.columns.iter() {
            n.add_column(*name, TEXT)?;
        }
        Ok(OK)
    })
}

/// A record is a line.
extern "C" fn framing(_: &Cfg, f: &mut Framing) -> Status {
    f.kind = LINES;
    OK
}

/// A part of a record, which begins at `off` in the bytes of the batch.
#[derive(Clone, Copy)]
struct Piece<'a> {
    off: u32,
    text: &'a [u8],
}

impl<'a> Piece<'a> {
    /// Returns the part before the first `separator`, and the part after it, if there is a
    /// separator.
    fn split(self, separator: u8) -> (Piece<'a>, Option<Piece<'a>>) {
        let Some(at) = self.text.iter().position(|c| *c == separator) else {
            return (self, None);
        };
        let rest = Piece { off: self.off + at as u32 + 1, text: &self.text[at + 1..] };
        (Piece { off: self.off, text: &self.text[..at] }, Some(rest))
    }
    fn trimmed(self) -> Piece<'a> {
        let blanks = self.text.iter().take_while(|c| **c == b' ').count();
        let text = &self.text[blanks..];
        let end = text.iter().rposition(|c| *c != b' ').map_or(0, |last| last + 1);
        Piece { off: self.off + blanks as u32, text: &text[..end] }
    }
    fn slice(self) -> Str {
        Str { off: self.off, len: self.text.len() as u32 }
    }
}

/// Calls `put` with the number of the column and the value of each pair. Returns Err with the first
/// pair that has no colon.
fn each_pair<'a>(
    cfg: &Cfg,
    record: Piece<'a>,
    mut put: impl FnMut(usize, Str),
) -> Result<(), Piece<'a>> {
    let mut rest = Some(record);
    while let Some(pairs) = rest {
        let (pair, others) = pairs.split(b';');
        rest = others;
        match pair.split(b':') {
            (key, Some(value)) => {
                let key = key.trimmed().text;
                if let Some(i) = cfg.columns.iter().position(|name| name.bytes() == key) {
                    put(i, value.trimmed().slice());
                }
            }
            (blank, None) if blank.trimmed().text.is_empty() => {}
            (fault, None) => return Err(fault),
        }
    }
    Ok(())
}

static REASONS: [OwnReason; 1] =
    [OwnReason { word: text(c"no_colon"), doc: text(c"A pair has no colon.") }];

/// Sets the cells of a record: a value or none for each column that `negotiate` has added.
fn parse(ctx: &Ctx<Cfg>, b: &mut Batch, r: Record) -> Result<Status, Status> {
    let cfg = ctx.cfg();
    let mut cells = [Str::NONE; COLUMNS_MAX];
    let raw = b.raw(r);
    let record = Piece { off: raw.off, text: b.text(raw).unwrap_or(b"") };
    let fault = each_pair(cfg, record, |i, value| cells[i] = value).err();
    let fault = fault.map(|pair| String::from_utf8_lossy(pair.text).into_owned());
    for (i, cell) in cells.iter().take(cfg.columns.len()).enumerate() {
        b.set_cell(ctx.added_text(i).ok_or(EARG)?, r, *cell);
    }
    if let Some(pair) = fault {
        let why = format_args!("'{pair}' has no colon: write key: value");
        ctx.reject(b, r, r_own(0), why);
    }
    Ok(OK)
}

extern "C" fn process(ctx: &Ctx<Cfg>, _: &mut (), b: &mut Batch) -> Status {
    attempt(|| b.each_record(|b, r| parse(ctx, b, r)))
}

static STAGE: Stage<Cfg, ()> = Stage {
    name: text(c"parse.mystage"),
    summary: text(c"columns of lines of key: value pairs"),
    doc: text(
        c"A record is a line of pairs with semicolons between. A key that a record lacks gives no \
          value; a pair without a colon rejects the record.",
    ),
    example: text(c"leat.parse.mystage { \"city\", \"ms\" }"),
    kind: TRANSFORM,
    caps: PARALLEL | PARSER,
    needs: HAS_RECORDS,
    makes: HAS_COLUMNS,
    validate: Some(validate),
    negotiate: Some(negotiate),
    framing: Some(framing),
    process: Some(process),
    ..Stage::with(&PARAMS).reasons(&REASONS)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"lines of key: value pairs", STAGE);
