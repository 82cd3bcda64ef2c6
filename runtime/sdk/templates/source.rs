// mystage.rs -- source.mystage: records from the bytes of a file or pipe, which the host cuts.
//
// To make it yours, replace open, read and seek with the calls for your bytes: a socket, a serial
// line.
mod leat;
use leat::*;
use std::ffi::c_char;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;

const BYTES: usize = 65536;
const RECORD_MAX: u32 = 65536;
const WAIT_MS: i32 = 100;

#[repr(C)]
struct Cfg {
    path: Text,
}
unsafe impl Zeroed for Cfg {}

static PARAMS: [Param; 1] =
    [param!(Cfg, path).flags(REQUIRED | POSITIONAL | READS_FILE).doc(c"the file to read")];

#[repr(C)]
struct Input {
    file: Option<Box<File>>, // from open to close
    ended: bool,
    at: usize, // bytes[at .. n) are not cut yet
    n: usize,
    bytes: Memory<u8>,
}
unsafe impl Zeroed for Input {}

extern "C" fn negotiate(_: &Cfg, n: &mut Negotiation) -> Status {
    n.out().max_record_bytes = RECORD_MAX;
    OK
}

extern "C" fn plan(_: &Cfg, _: *const Schema, _: *const Schema, p: &mut Plan) -> Status {
    p.work_bytes = BYTES as u64 + cut_bytes(RECORD_MAX.into());
    OK
}

extern "C" fn open(ctx: &Ctx<Cfg>, s: &mut Input) -> Status {
    attempt(|| {
        let path = ctx.cfg().path;
        s.bytes = ctx.alloc(BYTES)?;
        let file = open_to_read(path.path())
            .map_err(|e| ctx.fail(EIO, format_args!("cannot open {path}: {e}")))?;
        ctx.name_input(0, path)?;
        s.file = Some(Box::new(file));
        Ok(OK)
    })
}

extern "C" fn close(_: &Ctx<Cfg>, s: &mut Input) {
    s.file = None;
}

/// Reads more bytes, if none are left to cut. Returns AGAIN if there are none yet, after a wait no
/// longer than allowed.
fn refill(ctx: &Ctx<Cfg>, s: &mut Input) -> Result<Status, Status> {
    if s.at < s.n || s.ended {
        return Ok(OK);
    }
    let Some(file) = &mut s.file else { return Err(EARG) };
    ctx.wait_readable(file.as_raw_fd(), WAIT_MS);
    match file.read(&mut s.bytes) {
        Ok(n) => (s.at, s.n, s.ended) = (0, n, n == 0),
        Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(AGAIN),
        Err(e) if e.kind() == ErrorKind::Interrupted => return Ok(AGAIN),
        Err(e) => return Err(ctx.fail(EIO, format_args!("cannot read: {e}"))),
    }
    Ok(OK)
}

extern "C" fn header(
    ctx: &Ctx<Cfg>,
    s: &mut Input,
    text: &mut *const c_char,
    len: &mut u32,
) -> Status {
    attempt(|| {
        while !ctx.stopping() {
            if refill(ctx, s)? == AGAIN {
                continue;
            }
            let (status, taken) = ctx.cut_header(0, &s.bytes[s.at..s.n], s.ended, text, len);
            s.at += taken;
            if status != AGAIN {
                return check(status);
            }
        }
        Ok(EOS)
    })
}

extern "C" fn produce(ctx: &Ctx<Cfg>, s: &mut Input, b: &mut Batch) -> Status {
    attempt(|| loop {
        if refill(ctx, s)? == AGAIN {
            return Ok(if b.n_records() > 0 { OK } else { AGAIN });
        }
        let (status, taken) = ctx.cut(b, 0, &s.bytes[s.at..s.n], s.ended);
        s.at += taken;
        match status {
            EFULL => return Ok(OK),
            failure if failure < 0 => return Err(failure),
            _ if s.ended => return Ok(EOS),
            _ => {}
        }
    })
}

/// Saves the place of the next record. Records that were cut are in the snapshot already.
extern "C" fn snapshot(ctx: &Ctx<Cfg>, _: &mut Input, w: &mut Writer) -> Status {
    let (offset, line) = ctx.cut_place(0);
    attempt(|| w.u64(c"offset", offset).and_then(|_| w.u64(c"line", line)))
}

extern "C" fn restore(ctx: &Ctx<Cfg>, s: &mut Input, r: &Reader, _version: u32) -> Status {
    attempt(|| {
        let (offset, line) = (r.u64(c"offset")?, r.u64(c"line")?);
        let file = s.file.as_deref_mut().ok_or(EARG)?;
        file.seek(SeekFrom::Start(offset)).map_err(|e| {
            r.refuse(format_args!("the file cannot continue at byte {offset}: {e}"))
        })?;
        (s.at, s.n, s.ended) = (0, 0, false);
        ctx.cut_continue(0, offset, line)
    })
}

static CUTS: Source<Cfg, Input> = Source {
    framings: FRAMINGS_OF_TEXT,
    produce: Some(produce),
    header: Some(header),
    ..Source::NONE
};
static STATE: State<Cfg, Input> =
    State { version: 1, snapshot: Some(snapshot), restore: Some(restore), ..State::NONE };

static STAGE: Stage<Cfg, Input> = Stage {
    name: text(c"source.mystage"),
    summary: text(c"records of a file"),
    doc: text(
        c"Reads a file or pipe to its end. A run with --state continues at the exact next record.",
    ),
    example: text(c"leat.source.mystage { \"in.csv\" }"),
    kind: SOURCE,
    makes: HAS_RECORDS,
    negotiate: Some(negotiate),
    plan: Some(plan),
    open: Some(open),
    close: Some(close),
    source: Some(&CUTS),
    state: Some(&STATE),
    ..Stage::with(&PARAMS)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"records of a file", STAGE);
