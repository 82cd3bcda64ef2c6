// mystage.rs -- sink.mystage: writes the columns of each record to a file, separated by tabs.
//
// To make it yours, change: process (takes the records), barrier (delivers all of them before a
// checkpoint is complete), snapshot and restore (let a killed run continue without writing anything
// twice).
mod leat;
use leat::*;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;

const COLUMNS_MAX: usize = 256;

#[repr(C)]
struct Cfg {
    path: Text,
}
unsafe impl Zeroed for Cfg {}

static PARAMS: [Param; 1] =
    [param!(Cfg, path).flags(REQUIRED | POSITIONAL | WRITES_FILE).doc(c"the file to write")];

#[repr(C)]
struct Sink {
    file: Option<Box<BufWriter<File>>>, // from open to close
    written: u64,                       // bytes at the last restore or flush
    n: usize,                           // number of columns
    column: [TextColumn; COLUMNS_MAX],
}
unsafe impl Zeroed for Sink {}

/// Asks for all columns as text; the host converts other types.
extern "C" fn negotiate(_: &Cfg, n: &mut Negotiation) -> Status {
    attempt(|| {
        let count = n.input().columns().len();
        if count > COLUMNS_MAX {
            n.diag()
                .error(None, format_args!("{count} columns: at most {COLUMNS_MAX} are possible"));
        }
        for i in 0..count.min(COLUMNS_MAX) {
            let name = n.input().columns()[i].name;
            n.column(None, name, TAKES_TEXT)?;
        }
        Ok(OK)
    })
}

fn fail(ctx: &Ctx<Cfg>, e: io::Error) -> Status {
    ctx.fail(EIO, format_args!("cannot write {}: {e}", ctx.cfg().path))
}

/// Does something with the file, and reports a failure.
fn with_file<T>(
    ctx: &Ctx<Cfg>,
    s: &mut Sink,
    work: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> Result<T, Status> {
    let file = s.file.as_deref_mut().ok_or(EARG)?;
    work(file).map_err(|e| fail(ctx, e))
}

extern "C" fn open(ctx: &Ctx<Cfg>, s: &mut Sink) -> Status {
    attempt(|| {
        for (column, to) in ctx.input().columns().iter().zip(&mut s.column) {
            *to = ctx.text_column(column.name)?;
            s.n += 1;
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).open(ctx.cfg().path.path());
        let file = file.map_err(|e| fail(ctx, e))?;
        ctx.sync_file(file.as_raw_fd())?;
        s.file = Some(Box::new(BufWriter::new(file)));
        Ok(OK)
    })
}

extern "C" fn close(_: &Ctx<Cfg>, s: &mut Sink) {
    s.file = None;
}

/// Cuts the file: to the bytes of the checkpoint after a restore, else to nothing.
extern "C" fn start(ctx: &Ctx<Cfg>, s: &mut Sink) -> Status {
    let written = s.written;
    attempt(|| with_file(ctx, s, |file| file.get_ref().set_len(written)).map(|_| OK))
}

fn write_record(s: &mut Sink, b: &Batch, r: Record) -> io::Result<()> {
    let Some(file) = &mut s.file else { return Ok(()) };
    for (i, column) in s.column[..s.n].iter().enumerate() {
        file.write_all(if i > 0 { b"\t" } else { b"" })?;
        file.write_all(b.text(b.cell(*column, r)).unwrap_or(b""))?;
    }
    file.write_all(b"\n")
}

extern "C" fn process(ctx: &Ctx<Cfg>, s: &mut Sink, b: &mut Batch) -> Status {
    attempt(|| b.each_record(|b, r| write_record(s, b, r).map(|_| OK).map_err(|e| fail(ctx, e))))
}

const WRITTEN: Text = text(c"written_bytes");
static FIGURES: [Figure; 1] =
    [Figure { name: WRITTEN, unit: text(c"bytes"), doc: text(c"the file's length"), kind: COUNTER }];

/// Delivers all records before it returns: at a checkpoint, and at the end.
extern "C" fn flush(ctx: &Ctx<Cfg>, s: &mut Sink) -> Status {
    attempt(|| {
        with_file(ctx, s, BufWriter::flush)?;
        s.written = with_file(ctx, s, |file| file.get_ref().metadata())?.len();
        ctx.metric(WRITTEN, s.written as f64);
        Ok(OK)
    })
}
extern "C" fn barrier(ctx: &Ctx<Cfg>, s: &mut Sink, _checkpoint: u64) -> Status {
    flush(ctx, s)
}

/// Saves the length. If called before start, that is the one from restore.
extern "C" fn snapshot(_: &Ctx<Cfg>, s: &mut Sink, w: &mut Writer) -> Status {
    attempt(|| w.u64(c"written", s.written))
}

extern "C" fn restore(ctx: &Ctx<Cfg>, s: &mut Sink, r: &Reader, _version: u32) -> Status {
    attempt(|| {
        let written = r.u64(c"written")?;
        if with_file(ctx, s, |file| file.get_ref().metadata())?.len() < written {
            let why =
                format_args!("the file is shorter than the {written} bytes that were written");
            return Err(r.refuse(why));
        }
        s.written = written;
        Ok(OK)
    })
}

static STATE: State<Cfg, Sink> =
    State { version: 1, snapshot: Some(snapshot), restore: Some(restore), ..State::NONE };

static STAGE: Stage<Cfg, Sink> = Stage {
    name: text(c"sink.mystage"),
    summary: text(c"records with tabs between their columns"),
    doc: text(c"A run with --state that was killed continues, and the file has each record once."),
    example: text(c"leat.sink.mystage { \"out.tsv\" }"),
    kind: SINK,
    needs: HAS_COLUMNS,
    negotiate: Some(negotiate),
    open: Some(open),
    close: Some(close),
    start: Some(start),
    stop: Some(flush),
    process: Some(process),
    barrier: Some(barrier),
    state: Some(&STATE),
    ..Stage::with(&PARAMS).figures(&FIGURES)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"records with tabs between", STAGE);
