// leat_calls.rs -- what the host gives to the functions of a stage.
//
// Batches, the host's services (Ctx), the writer and reader of a state, questions. See batch.h,
// host.h, state.h and query.h for more.
use super::*;
use std::cmp::Ordering;
use std::ffi::c_ulong;
use std::fmt::Write;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;

// ---- batch.h ----

/// A text in the bytes of a batch. If it has no value, `text` returns None.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub off: u32,
    pub len: u32,
}

impl Str {
    pub const NONE: Str = Str { off: 0, len: NULL };
}

/// A column of text, made only by Ctx::text_column and Ctx::added_text.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct TextColumn(u32);

/// The origin of consecutive records.
#[repr(C)]
pub struct Extent {
    pub first: u32,
    pub n: u32,
    pub input: u32,
    pub bytes_off: u32,
    pub offset: u64,
    pub line: u64,
}

/// A header of a message.
#[repr(C)]
pub struct Header {
    pub name: *const c_char,
    pub value: *const c_char,
    pub n_name: u32,
    pub n_value: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Name {
    part: [u32; 3],
}

#[repr(C)]
struct Part {
    field: u32,
    value: Str,
}

/// A batch, which is lent for a call. The host decides where it lies.
#[repr(C)]
pub struct Batch {
    size: u32,
    kind: u32,
    seq: u64,
    bytes: *mut u8,
    n_bytes: u32,
    cap_bytes: u32,
    fill_bytes: u32,
    n: u32,
    cap: u32,
    n_sel: u32,
    touched: u32,
    sel: *const u32,
    status: *mut u8,
    reason: *mut u16,
    raw: *mut Str,
    key: *mut Str,
    timestamp: *mut i64,
    label: *mut f32,
    weight: *mut f32,
    column: *const *mut Str,
    n_columns: u32,
    n_extents: u32,
    cap_extents: u32,
    reserved: u32,
    extent: *mut Extent,
    n_examples: u32,
    cap_examples: u32,
    n_entries: u32,
    cap_entries: u32,
    n_parts: u32,
    cap_parts: u32,
    n_ex_sel: u32,
    n_fields: u32,
    ex_sel: *const u32,
    ex_start: *mut u32,
    ex_record: *mut u32,
    ex_label: *mut f32,
    ex_weight: *mut f32,
    score: *mut f32,
    id: *mut u64,
    value: *mut f32,
    name: *mut Name,
    part: *mut Part,
    fields: *const Text,
    headers: *mut Str,
    from: *mut u32,
}

/// A record, and an example, of a batch; from `each_record` and `each_example`.
#[derive(Clone, Copy)]
pub struct Record(u32);
#[derive(Clone, Copy)]
pub struct Example(u32);

impl Batch {
    pub fn n_records(&self) -> u32 {
        self.n
    }
    /// Calls `f` with each selected record, until it fails.
    pub fn each_record<F>(&mut self, mut f: F) -> Result<Status, Status>
    where
        F: FnMut(&mut Batch, Record) -> Result<Status, Status>,
    {
        for k in 0..self.n_sel as usize {
            let r = Record(unsafe { *self.sel.add(k) });
            f(self, r)?;
        }
        Ok(OK)
    }
    /// Calls `f` with each selected example, until it fails.
    pub fn each_example<F>(&mut self, mut f: F) -> Result<Status, Status>
    where
        F: FnMut(&mut Batch, Example) -> Result<Status, Status>,
    {
        for k in 0..self.n_ex_sel as usize {
            let e = Example(unsafe { *self.ex_sel.add(k) });
            f(self, e)?;
        }
        Ok(OK)
    }
    /// Returns the bytes of a slice; None if it has no value.
    pub fn text(&self, s: Str) -> Option<&[u8]> {
        if s.len == NULL {
            return None;
        }
        let bytes = unsafe { slice_of(self.bytes, self.n_bytes as usize) };
        Some(bytes.get(s.off as usize..s.off as usize + s.len as usize).unwrap_or(&[]))
    }
    /// Returns the record as it arrived; nothing for a tombstone.
    pub fn raw(&self, r: Record) -> Str {
        unsafe { *self.raw.add(r.0 as usize) }
    }
    pub fn cell(&self, column: TextColumn, r: Record) -> Str {
        unsafe { *(*self.column.add(column.0 as usize)).add(r.0 as usize) }
    }
    pub fn set_cell(&mut self, column: TextColumn, r: Record, s: Str) {
        unsafe { *(*self.column.add(column.0 as usize)).add(r.0 as usize) = s }
    }

    /// Begins an example of a record, with its label and weight.
    pub fn add_example(&mut self, r: Record) -> Result<(), Status> {
        if self.n_examples == self.cap_examples {
            return Err(EFULL);
        }
        let (e, r) = (self.n_examples as usize, r.0 as usize);
        self.n_examples += 1;
        unsafe {
            *self.ex_record.add(e) = r as u32;
            *self.ex_label.add(e) = *self.label.add(r);
            *self.ex_weight.add(e) = *self.weight.add(r);
            *self.ex_start.add(e) = self.n_entries;
            *self.ex_start.add(e + 1) = self.n_entries;
        }
        Ok(())
    }
    /// Adds an entry to the last example begun, with the name field=value. For stages that make
    /// HAS_NAMES.
    pub fn add_entry(&mut self, id: u64, x: f32, field: u32, value: Str) -> Result<(), Status> {
        let (i, p) = (self.n_entries, self.n_parts);
        if i == self.cap_entries || p == self.cap_parts || self.name.is_null() {
            return Err(EFULL);
        }
        self.n_entries += 1;
        self.n_parts += 1;
        unsafe {
            *self.id.add(i as usize) = id;
            *self.value.add(i as usize) = x;
            *self.part.add(p as usize) = Part { field, value };
            *self.name.add(i as usize) = Name { part: [p + 1, 0, 0] };
            *self.ex_start.add(self.n_examples as usize) = i + 1;
        }
        Ok(())
    }

    /// Returns the numbers of an example's entries.
    pub fn entries(&self, e: Example) -> Range<usize> {
        let at = |k| unsafe { *self.ex_start.add(e.0 as usize + k) as usize };
        at(0)..at(1)
    }
    /// Returns feature and value of each entry of an example.
    pub fn features(&self, e: Example) -> impl Iterator<Item = (u64, f32)> + '_ {
        self.entries(e).map(|i| unsafe { (*self.id.add(i), *self.value.add(i)) })
    }
    pub fn ex_record(&self, e: Example) -> Record {
        Record(unsafe { *self.ex_record.add(e.0 as usize) })
    }
    pub fn ex_label(&self, e: Example) -> f32 {
        unsafe { *self.ex_label.add(e.0 as usize) }
    }
    pub fn ex_weight(&self, e: Example) -> f32 {
        unsafe { *self.ex_weight.add(e.0 as usize) }
    }
    pub fn set_score(&mut self, e: Example, score: f32) {
        unsafe { *self.score.add(e.0 as usize) = score }
    }
    /// Writes the name of entry i as text, or its id. Returns the number of bytes; a longer name is
    /// cut.
    pub fn name_text(&self, i: usize, out: &mut [u8]) -> usize {
        let mut n = 0;
        let mut put = |piece: &[u8]| {
            let m = piece.len().min(out.len() - n);
            out[n..n + m].copy_from_slice(&piece[..m]);
            n += m;
        };
        let parts = if self.name.is_null() { [0; 3] } else { unsafe { (*self.name.add(i)).part } };
        if parts[0] == 0 {
            put(unsafe { *self.id.add(i) }.to_string().as_bytes());
        }
        for (j, part) in parts.iter().take_while(|part| **part != 0).enumerate() {
            let p = unsafe { &*self.part.add(*part as usize - 1) };
            put(if j > 0 { b" & " } else { b"" });
            if p.field != NULL {
                put(unsafe { *self.fields.add(p.field as usize) }.bytes());
                put(if p.value.len != NULL { b"=" } else { b"" });
            }
            put(self.text(p.value).unwrap_or(b""));
        }
        n
    }
}

/// Returns the length of the UTF-8 sequence at the beginning of a text; 1 if it is malformed.
pub fn utf8_step(text: &[u8]) -> usize {
    let n = match text.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    match text.get(1..n) {
        Some(rest) if rest.iter().all(|c| c & 0xc0 == 0x80) => n,
        _ => 1,
    }
}

// ---- host.h ----

/// A message for the host. A longer one is cut.
pub(super) struct Message {
    n: usize,
    bytes: [u8; 1024],
}

impl Message {
    pub(super) fn of(what: fmt::Arguments) -> Message {
        let mut m = Message { n: 0, bytes: [0; 1024] };
        let _ = m.write_fmt(what); // fails when the message is full
        m
    }
    pub(super) fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
}

impl Write for Message {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for c in s.chars() {
            let end = self.n + c.len_utf8();
            if end >= self.bytes.len() {
                return Err(fmt::Error);
            }
            c.encode_utf8(&mut self.bytes[self.n..end]);
            self.n = end;
        }
        Ok(())
    }
}

type AnyCtx = *const c_void; // a Ctx<C> with any C

#[repr(C)]
struct Host {
    size: u32,
    abi_major: u16,
    abi_minor: u16,
    alloc: extern "C" fn(AnyCtx, usize) -> *mut c_void,
    free: extern "C" fn(AnyCtx, *mut c_void),
    fail: unsafe extern "C" fn(AnyCtx, Status, *const c_char, ...) -> Status,
    log: unsafe extern "C" fn(AnyCtx, c_int, *const c_char, ...),
    reject: unsafe extern "C" fn(AnyCtx, *mut Batch, u32, c_int, *const c_char, ...),
    where_from: *const c_void,
    name_input: extern "C" fn(AnyCtx, u32, *const c_char) -> Status,
    metric: extern "C" fn(AnyCtx, *const c_char, f64),
    stopping: extern "C" fn(AnyCtx) -> c_int,
    stop_fd: extern "C" fn(AnyCtx) -> c_int,
    seed: extern "C" fn(AnyCtx) -> u64,
    checkpoint_soon: extern "C" fn(AnyCtx),
    sync_file: extern "C" fn(AnyCtx, c_int) -> Status,
    fault: extern "C" fn(AnyCtx, *const c_char),
    shard_begin: *const c_void,
    shard_state: *const c_void,
    shard_end: *const c_void,
    time_left: extern "C" fn(AnyCtx) -> i64,
    lag: *const c_void,
    came_from: *const c_void,
    cut: extern "C" fn(AnyCtx, *mut Batch, u32, *const u8, usize, c_int, *mut usize) -> Status,
    cut_header: CutHeader,
    cut_place: extern "C" fn(AnyCtx, u32, *mut u64, *mut u64),
    cut_continue: extern "C" fn(AnyCtx, u32, u64, u64) -> Status,
    column: extern "C" fn(AnyCtx, *const c_char, u32, *mut u32) -> Status,
    feature_id: extern "C" fn(*const u8, usize, *const u8, usize) -> u64,
    made_later: *const c_void,
    open_inputs: extern "C" fn(AnyCtx, u32),
    close_input: extern "C" fn(AnyCtx, u32) -> Status,
    event_time: *const c_void,
    event_times: *const c_void,
    is_read: extern "C" fn(AnyCtx, u32) -> c_int,
    linalg: *const c_void,
    waits: *const c_void,
    keep: *const c_void,
    reject_kept: *const c_void,
    group: *const c_void,
}

/// The event time of a stream that has several inputs.
#[repr(C)]
pub struct Clock {
    pub size: u32,
    pub ahead: u32,
    pub now: i64,
    pub latest: i64,
    pub input: i64,
    pub ahead_records: u64,
    pub ahead_sample: i64,
}

/// The distance of a source behind one of its inputs.
#[repr(C)]
pub struct Lag {
    pub input: Text,
    pub records: i64,
}
/// A member of a group of processes that share the inputs of a source.
#[repr(C)]
pub struct Member {
    pub name: Text,
    pub host: Text,
    pub inputs: u32,
    pub own: u32,
    pub records: i64,
    pub grown: i64,
    pub still_ns: i64,
}
/// An input of a group, and who has it.
#[repr(C)]
pub struct Share {
    pub input: Text,
    pub records: i64,
    pub member: u32,
    pub reserved: u32,
}
/// What a group does.
#[repr(C)]
pub struct Group {
    pub size: u32,
    pub n_members: u32,
    pub n_shares: u32,
    pub inputs: u32,
    pub name: Text,
    pub state: Text,
    pub why: Text,
    pub answered: i64,
    pub records: i64,
    pub member: *const Member,
    pub share: *const Share,
}
type CutHeader = extern "C" fn(
    AnyCtx,
    u32,
    *const u8,
    usize,
    c_int,
    *mut usize,
    *mut *const c_char,
    *mut u32,
) -> Status;

/// Bytes of the host's memory for cutting an input, for plan.
pub const fn cut_bytes(max_record: u64) -> u64 {
    2 * max_record + 1024
}

#[repr(C)]
pub struct Ctx<C> {
    size: u32,
    pub lane: u32,
    host: *const Host,
    id: Text,
    cfg: *const C,
    input: *const Schema,
    out: *const Schema,
    framing: Framing,
    pipeline: Text,
    pub checkpoint_ns: i64,
    pub transactional: u32,
    pub continued: u32,
    pub position_committed: u32,
    pub split: u32,
}

impl<C> Ctx<C> {
    fn host(&self) -> &Host {
        unsafe { &*self.host }
    }
    fn any(&self) -> AnyCtx {
        (self as *const Ctx<C>).cast()
    }
    pub fn cfg(&self) -> &C {
        unsafe { &*self.cfg }
    }
    pub fn input(&self) -> &Schema {
        unsafe { &*self.input }
    }
    pub fn out(&self) -> &Schema {
        unsafe { &*self.out }
    }
    /// Allocates n zeros. Call it in open.
    pub fn alloc<T: Zeroed>(&self, n: usize) -> Result<Memory<T>, Status> {
        let bytes = n.checked_mul(size_of::<T>()).ok_or(ENOMEM)?;
        let at: *mut T = (self.host().alloc)(self.any(), bytes).cast();
        if at.is_null() {
            Err(ENOMEM)
        } else {
            Ok(Memory { at, n })
        }
    }
    /// Reports why the run must end. Returns the status.
    pub fn fail(&self, status: Status, why: fmt::Arguments) -> Status {
        let m = Message::of(why);
        unsafe { (self.host().fail)(self.any(), status, c"%s".as_ptr(), m.as_ptr()) }
    }
    pub fn reject(&self, b: &mut Batch, r: Record, reason: c_int, why: fmt::Arguments) {
        let m = Message::of(why);
        unsafe { (self.host().reject)(self.any(), b, r.0, reason, c"%s".as_ptr(), m.as_ptr()) }
    }
    /// Sets the value of one of the stage's figures.
    pub fn metric(&self, name: Text, value: f64) {
        (self.host().metric)(self.any(), name.0, value)
    }
    pub fn name_input(&self, input: u32, name: Text) -> Result<Status, Status> {
        check((self.host().name_input)(self.any(), input, name.0))
    }
    pub fn stopping(&self) -> bool {
        (self.host().stopping)(self.any()) != 0
    }
    pub fn sync_file(&self, fd: c_int) -> Result<Status, Status> {
        check((self.host().sync_file)(self.any(), fd))
    }
    /// Returns a column that negotiate has requested as TAKES_TEXT. Call it in open.
    pub fn text_column(&self, name: Text) -> Result<TextColumn, Status> {
        let mut index = 0;
        check((self.host().column)(self.any(), name.0, TAKES_TEXT, &mut index))?;
        Ok(TextColumn(index))
    }
    /// Returns the i-th of the columns that negotiate has added, if it is text.
    pub fn added_text(&self, i: usize) -> Option<TextColumn> {
        let index = self.input().columns().len() + i;
        let column = self.out().columns().get(index)?;
        if column.kind == TEXT {
            Some(TextColumn(index as u32))
        } else {
            None
        }
    }
    pub fn feature_id(&self, field: &[u8], value: &[u8]) -> u64 {
        let (f, v) = (field.as_ptr(), value.as_ptr());
        (self.host().feature_id)(f, field.len(), v, value.len())
    }
    /// Waits until there is something to read, the run is being stopped, or `ms` are over.
    pub fn wait_readable(&self, fd: c_int, ms: c_int) {
        let stop = (self.host().stop_fd)(self.any());
        let mut fds = [fd, stop].map(|fd| PollFd { fd, events: 1, revents: 0 });
        unsafe { poll(fds.as_mut_ptr(), 2, ms) };
    }
    /// Gives bytes of an input to the host, which cuts them. Returns a status, and the number of
    /// bytes taken.
    pub fn cut(&self, b: &mut Batch, input: u32, bytes: &[u8], end: bool) -> (Status, usize) {
        let (at, n, mut taken) = (bytes.as_ptr(), bytes.len(), 0);
        let status = (self.host().cut)(self.any(), b, input, at, n, end.into(), &mut taken);
        (status, taken)
    }
    /// Gives bytes of an input to the host in header, until a header is complete; `text` and `len`
    /// then lend it.
    pub fn cut_header(
        &self,
        input: u32,
        bytes: &[u8],
        end: bool,
        text: &mut *const c_char,
        len: &mut u32,
    ) -> (Status, usize) {
        let (at, n, mut taken) = (bytes.as_ptr(), bytes.len(), 0);
        let cut = self.host().cut_header;
        let status = cut(self.any(), input, at, n, end.into(), &mut taken, text, len);
        (status, taken)
    }
    /// Returns offset and line of the first byte that is not delivered.
    pub fn cut_place(&self, input: u32) -> (u64, u64) {
        let (mut offset, mut line) = (0, 0);
        (self.host().cut_place)(self.any(), input, &mut offset, &mut line);
        (offset, line)
    }
    pub fn cut_continue(&self, input: u32, offset: u64, line: u64) -> Result<Status, Status> {
        check((self.host().cut_continue)(self.any(), input, offset, line))
    }
}

/// Opens a file so that neither opening nor reading waits, for example for the writer of a pipe.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    const O_NONBLOCK: c_int = 0o4000; // the value of Linux on x86 and ARM
    OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path)
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    revents: i16,
}
extern "C" {
    fn poll(fds: *mut PollFd, n: c_ulong, ms: c_int) -> c_int;
}

// ---- stage.h ----

/// A rejected record for the dead letters.
#[repr(C)]
pub struct DeadLetter {
    size: u32,
    pub cut: u32,
    pub pipeline: Text,
    pub stage: Text,
    pub reason: Text,
    pub input: Text,
    pub offset: u64,
    pub line: u64,
    pub message: *const c_char,
    pub record: *const c_char,
    pub key: *const c_char,
    pub n_message: u32,
    pub n_record: u32,
    pub n_key: u32,
    reserved: u32,
    pub timestamp: i64,
    pub headers: *const c_char,
    pub n_headers: u32,
    reserved_2: u32,
}

// ---- state.h ----

/// A type of the elements of a state's field.
pub trait Element: Copy {
    const ELEMENT: u32;
}
impl Element for u8 {
    const ELEMENT: u32 = U8;
}
impl Element for u32 {
    const ELEMENT: u32 = U32;
}
impl Element for u64 {
    const ELEMENT: u32 = U64;
}
impl Element for f32 {
    const ELEMENT: u32 = F32;
}
impl Element for f64 {
    const ELEMENT: u32 = F64;
}
impl Element for i64 {
    const ELEMENT: u32 = I64;
}

#[repr(C)]
pub struct Writer {
    size: u32,
    reserved: u32,
    u64: extern "C" fn(*mut Writer, *const c_char, u64) -> Status,
    i64: extern "C" fn(*mut Writer, *const c_char, i64) -> Status,
    f64: extern "C" fn(*mut Writer, *const c_char, f64) -> Status,
    text: extern "C" fn(*mut Writer, *const c_char, *const c_char, u64) -> Status,
    array: extern "C" fn(*mut Writer, *const c_char, u32, *const c_void, u64) -> Status,
    reserve: *const c_void,
}

impl Writer {
    pub fn u64(&mut self, name: &CStr, v: u64) -> Result<Status, Status> {
        check((self.u64)(self, name.as_ptr(), v))
    }
    pub fn i64(&mut self, name: &CStr, v: i64) -> Result<Status, Status> {
        check((self.i64)(self, name.as_ptr(), v))
    }
    pub fn f64(&mut self, name: &CStr, v: f64) -> Result<Status, Status> {
        check((self.f64)(self, name.as_ptr(), v))
    }
    /// Writes a text without a zero byte.
    pub fn text(&mut self, name: &CStr, v: &str) -> Result<Status, Status> {
        check((self.text)(self, name.as_ptr(), v.as_ptr().cast(), v.len() as u64))
    }
    pub fn array<T: Element>(&mut self, name: &CStr, v: &[T]) -> Result<Status, Status> {
        let (at, n) = (v.as_ptr().cast(), v.len() as u64);
        check((self.array)(self, name.as_ptr(), T::ELEMENT, at, n))
    }
}

type TextReader =
    extern "C" fn(*mut Reader, *const c_char, u64, *mut *const c_char, *mut u64) -> Status;
type ArrayReader =
    extern "C" fn(*mut Reader, *const c_char, u32, u64, *mut *const c_void, *mut u64) -> Status;

#[repr(C)]
pub struct Reader {
    size: u32,
    reserved: u32,
    u64: extern "C" fn(*mut Reader, *const c_char, *mut u64) -> Status,
    i64: extern "C" fn(*mut Reader, *const c_char, *mut i64) -> Status,
    f64: extern "C" fn(*mut Reader, *const c_char, *mut f64) -> Status,
    text: TextReader,
    array: extern "C" fn(*mut Reader, *const c_char, u32, u64, *mut *const c_void) -> Status,
    array_up_to: ArrayReader,
    same_u64: extern "C" fn(*mut Reader, *const c_char, u64) -> Status,
    same_i64: extern "C" fn(*mut Reader, *const c_char, i64) -> Status,
    same_f64: extern "C" fn(*mut Reader, *const c_char, f64) -> Status,
    same_text: extern "C" fn(*mut Reader, *const c_char, *const c_char, u64) -> Status,
    refuse: unsafe extern "C" fn(*mut Reader, *const c_char, ...) -> Status,
}

// The host changes what follows these members, but not them.
impl Reader {
    fn at(&self) -> *mut Reader {
        (self as *const Reader).cast_mut()
    }
    pub fn u64(&self, name: &CStr) -> Result<u64, Status> {
        let mut v = 0;
        check((self.u64)(self.at(), name.as_ptr(), &mut v)).map(|_| v)
    }
    pub fn i64(&self, name: &CStr) -> Result<i64, Status> {
        let mut v = 0;
        check((self.i64)(self.at(), name.as_ptr(), &mut v)).map(|_| v)
    }
    pub fn f64(&self, name: &CStr) -> Result<f64, Status> {
        let mut v = 0.0;
        check((self.f64)(self.at(), name.as_ptr(), &mut v)).map(|_| v)
    }
    /// Reads a text of at most `max` bytes.
    pub fn text(&self, name: &CStr, max: usize) -> Result<&[u8], Status> {
        let (mut v, mut n) = (null(), 0);
        check((self.text)(self.at(), name.as_ptr(), max as u64, &mut v, &mut n))?;
        Ok(unsafe { slice_of(v.cast(), n as usize) })
    }
    /// Reads a field of exactly n elements.
    pub fn array<T: Element>(&self, name: &CStr, n: usize) -> Result<&[T], Status> {
        let mut v = null();
        check((self.array)(self.at(), name.as_ptr(), T::ELEMENT, n as u64, &mut v))?;
        Ok(unsafe { slice_of(v.cast(), n) })
    }
    /// Reads a field of at most `max` elements.
    pub fn array_up_to<T: Element>(&self, name: &CStr, max: usize) -> Result<&[T], Status> {
        let (mut v, mut n) = (null(), 0);
        let at = self.at();
        check((self.array_up_to)(at, name.as_ptr(), T::ELEMENT, max as u64, &mut v, &mut n))?;
        Ok(unsafe { slice_of(v.cast(), n as usize) })
    }
    pub fn refuse(&self, why: fmt::Arguments) -> Status {
        let m = Message::of(why);
        unsafe { (self.refuse)(self.at(), c"%s".as_ptr(), m.as_ptr()) }
    }
}

// ---- query.h ----

#[repr(C)]
pub struct Query {
    size: u32,
    pub kind: u32,
    pub k: u32,
    pub min_count: u32,
    pub min_support: f64,
    pub min_risk_ratio: f64,
    pub min_odds_gain: f64,
    pub order: u32,
    pub positive: u32,
    pub together: u32,
    pub beside: u32,
    pub again: u32,
    reserved: u32,
    pub max_luck: f64,
}

/// The question of a stage.
#[repr(C)]
pub struct Ask {
    size: u32,
    pub kind: u32,
    pub of: Text,
    pub k: u32,
    pub min_count: u32,
    pub every: Interval,
    pub min_support: f64,
    pub min_risk_ratio: f64,
    pub min_odds_gain: f64,
    pub order: u32,
    pub positive: u32,
    pub together: u32,
    pub event_time: u32,
    pub columns: Strings,
    pub max_luck: f64,
}

/// An answer, for the stage that asked.
#[repr(C)]
pub struct Table {
    size: u32,
    pub kind: u32,
    pub learner: Text,
    pub examples: u64,
    pub seconds: f64,
    pub last: u32,
    pub n_columns: u32,
    pub n_rows: u32,
    reserved: u32,
    pub columns: *const Text,
    pub names: *const Text,
    pub name_len: *const u32,
    pub values: *const f64,
    pub also: *const Text,
    pub time: i64,
}

#[repr(C)]
pub struct Answer {
    size: u32,
    reserved: u32,
    columns: extern "C" fn(*mut Answer, *const Text, u32) -> Status,
    row: extern "C" fn(*mut Answer, *const u8, usize, *const f64) -> Status,
    also: *const c_void,
}

impl Answer {
    /// Sets the only column of the answer: its rows have one value.
    pub fn column(&mut self, name: &'static [Text; 1]) -> Result<Status, Status> {
        check((self.columns)(self, name.as_ptr(), 1))
    }
    pub fn row(&mut self, name: &[u8], value: f64) -> Result<Status, Status> {
        check((self.row)(self, name.as_ptr(), name.len(), &value))
    }
}

// ---- helpers.h ----

const TOP_NAME: usize = 96; // stored bytes of a name

/// The K heaviest features by name, for a K of some hundreds, because a search visits all of them.
/// A state stores the fields of leat_top_write.
#[repr(C)]
pub struct Top<const K: usize> {
    n: usize,
    id: [u64; K],
    weight: [f64; K],
    name: [[u8; TOP_NAME + 1]; K], // length, then bytes
}

impl<const K: usize> Top<K> {
    /// Offers feature `id`, entry i of the batch, with its present weight. Keeps it if it is among
    /// the heaviest.
    pub fn offer(&mut self, id: u64, weight: f64, b: &Batch, i: usize) {
        if let Some(name) = self.put(id, weight) {
            name[0] = b.name_text(i, &mut name[1..]) as u8;
        }
    }
    /// Returns the place for the name of a feature that becomes one of the heaviest.
    fn put(&mut self, id: u64, weight: f64) -> Option<&mut [u8; TOP_NAME + 1]> {
        let at = match self.id[..self.n].iter().position(|known| *known == id) {
            Some(known) => {
                self.weight[known] = weight;
                return None;
            }
            None if self.n < K => self.n,
            None => match (0..K).max_by(|x, y| self.compare(*x, *y)) {
                Some(lightest) if self.weight[lightest].abs() < weight.abs() => lightest,
                _ => return None,
            },
        };
        self.n = self.n.max(at + 1);
        self.id[at] = id;
        self.weight[at] = weight;
        self.name[at] = [0; TOP_NAME + 1];
        Some(&mut self.name[at])
    }
    /// Puts the heavier one first; among equals, the smaller id.
    fn compare(&self, x: usize, y: usize) -> Ordering {
        let weight = |i: usize| self.weight[i].abs();
        weight(y).total_cmp(&weight(x)).then(self.id[x].cmp(&self.id[y]))
    }
    /// Sorts the table, heaviest first.
    fn sort(&mut self) {
        let mut order = [0; K];
        for (i, at) in order.iter_mut().enumerate() {
            *at = i;
        }
        order[..self.n].sort_unstable_by(|x, y| self.compare(*x, *y));
        self.id = order.map(|i| self.id[i]);
        self.weight = order.map(|i| self.weight[i]);
        self.name = order.map(|i| self.name[i]);
    }
    /// Adds a row for each of the k heaviest.
    pub fn answer(&mut self, k: usize, to: &mut Answer) -> Result<Status, Status> {
        self.sort();
        for i in 0..self.n.min(k) {
            let name = &self.name[i];
            to.row(&name[1..][..name[0] as usize], self.weight[i])?;
        }
        Ok(OK)
    }
    pub fn write(&mut self, w: &mut Writer) -> Result<Status, Status> {
        self.sort(); // a query must not change the bytes
        w.array(c"top.id", &self.id[..self.n])?;
        w.array(c"top.weight", &self.weight[..self.n])?;
        w.array(c"top.name", self.name[..self.n].as_flattened())
    }
    /// Reads and checks the table of a state. This table does not change until `take`.
    pub fn read<'a>(&self, r: &'a Reader) -> Result<TopRead<'a>, Status> {
        let id: &[u64] = r.array_up_to(c"top.id", K)?;
        let weight: &[f64] = r.array(c"top.weight", id.len())?;
        let name: &[u8] = r.array(c"top.name", id.len() * (TOP_NAME + 1))?;
        let names_fit = name.iter().step_by(TOP_NAME + 1).all(|n| usize::from(*n) <= TOP_NAME);
        let twice = (1..id.len()).any(|i| id[..i].contains(&id[i]));
        if !names_fit || twice || !weight.iter().all(|w| w.is_finite()) {
            let why = "a feature of top occurs twice, or has no weight or name";
            return Err(r.refuse(format_args!("{why}")));
        }
        Ok(TopRead { id, weight, name })
    }
    pub fn take(&mut self, from: TopRead) {
        self.n = from.id.len();
        self.id[..self.n].copy_from_slice(from.id);
        self.weight[..self.n].copy_from_slice(from.weight);
        self.name[..self.n].as_flattened_mut().copy_from_slice(from.name);
    }
    /// Merges two tables and keeps the heaviest. Call it in merge, once the weights are merged.
    pub fn merge(&mut self, other: TopRead, weight_of: impl Fn(u64) -> f64) {
        for i in 0..self.n {
            self.weight[i] = weight_of(self.id[i]);
        }
        for (id, read) in other.id.iter().zip(other.name.chunks(TOP_NAME + 1)) {
            if let Some(name) = self.put(*id, weight_of(*id)) {
                name.copy_from_slice(read);
            }
        }
    }
}

/// A table that Top::read has read.
pub struct TopRead<'a> {
    id: &'a [u64],
    weight: &'a [f64],
    name: &'a [u8],
}

// Sizes of the headers, like those in leat.rs.
const _: () = {
    assert!(size_of::<Str>() == 8);
    assert!(size_of::<Part>() == 12);
    assert!(offset_of!(Batch, column) == 120);
    assert!(offset_of!(Batch, ex_sel) == 184);
    assert!(offset_of!(Batch, fields) == 264);
    assert!(offset_of!(Host, stop_fd) == 80);
    assert!(offset_of!(Host, cut) == 168);
    assert!(offset_of!(Host, feature_id) == 208);
    assert!(offset_of!(Ctx<()>, out) == 40);
    assert!(offset_of!(Writer, array) == 40);
    assert!(offset_of!(Reader, refuse) == 88);
    assert!(offset_of!(Query, k) == 8);
    assert!(offset_of!(Answer, row) == 16);
};
