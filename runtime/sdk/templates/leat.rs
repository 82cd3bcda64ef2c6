// leat.rs -- the declarations of a plugin in Rust: its stages, their parameters and schemas.
//
// leat_calls.rs has what the host gives to a stage's functions; leat_constants.rs has the numbers.
// They need rustc 1.80 or later.
//
// These files declare what leat's headers declare (leat/plugin.h and the headers that it includes),
// each struct with all its members. The headers say what each call means, what it returns and on
// which thread it runs. Names are those of the headers without `leat_`. A function that no template
// has is a `*const c_void` here; to use it, give it the type in the header.
//
// A stage is a Stage<C, S>: C is the configuration struct, which the parameters fill, and S the
// instance. The host makes both from zeros, so both are Zeroed. A stage's functions are `extern
// "C"`, and use `attempt`, which turns a Result into a status. Nothing here panics, whatever an
// input holds. A plugin is built with panic=abort, so that no panic leaves it.
#![allow(dead_code)] // a plugin uses only a part

use std::ffi::{c_char, c_int, c_void, CStr, OsStr};
use std::fmt;
use std::mem::{offset_of, size_of};
use std::ops::{Deref, DerefMut};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::slice;

#[path = "leat_calls.rs"]
mod calls;
#[path = "leat_constants.rs"]
mod constants;
pub use calls::*;
pub use constants::*;

// ---- status.h ----

pub type Status = c_int;

/// Returns the stage's own reason number i, from 0.
pub const fn r_own(i: usize) -> c_int {
    R_FIRST_OWN + i as c_int
}

/// Turns a status below 0, a failure, into Err; others into Ok.
pub fn check(status: Status) -> Result<Status, Status> {
    if status < 0 {
        Err(status)
    } else {
        Ok(status)
    }
}

/// Does the work of a function that the host calls; `?` ends it with a failure.
pub fn attempt(work: impl FnOnce() -> Result<Status, Status>) -> Status {
    work().unwrap_or_else(|failure| failure)
}

// ---- texts and memory ----

/// A type for which zero bytes are a value: numbers, pointers, Text, Strings, Memory, and
/// Option<Box<T>>, which is None then. A File or a Vec is not such a type: put it into an
/// Option<Box<T>>.
///
/// # Safety
/// The host makes values from zeros, and nothing checks them.
pub unsafe trait Zeroed {}
unsafe impl Zeroed for () {}
unsafe impl Zeroed for u8 {}
unsafe impl Zeroed for u32 {}
unsafe impl Zeroed for u64 {}
unsafe impl Zeroed for f32 {}
unsafe impl Zeroed for f64 {}

/// A NUL-terminated text that lives as long as the stage; it may be absent.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

pub const fn text(of: &'static CStr) -> Text {
    Text(of.as_ptr())
}

impl Text {
    pub const NONE: Text = Text(null());
    /// Returns the text; an empty one if it is absent.
    pub fn c_str(&self) -> &CStr {
        if self.0.is_null() {
            c""
        } else {
            unsafe { CStr::from_ptr(self.0) }
        }
    }
    pub fn bytes(&self) -> &[u8] {
        self.c_str().to_bytes()
    }
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.bytes()))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&String::from_utf8_lossy(self.bytes()))
    }
}

/// Returns n values from `at`; none if that is NULL.
///
/// # Safety
/// The values must stay there while they are used.
pub unsafe fn slice_of<'a, T>(at: *const T, n: usize) -> &'a [T] {
    if at.is_null() {
        &[]
    } else {
        slice::from_raw_parts(at, n)
    }
}

/// Memory of the host (Ctx::alloc), which frees it after close. It is used like a slice.
#[repr(C)]
pub struct Memory<T> {
    at: *mut T,
    n: usize,
}

impl<T> Deref for Memory<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        unsafe { slice_of(self.at, self.n) }
    }
}
impl<T> DerefMut for Memory<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.at.is_null() {
            &mut []
        } else {
            unsafe { slice::from_raw_parts_mut(self.at, self.n) }
        }
    }
}

// ---- param.h ----

#[repr(C)]
pub struct Param {
    name: Text,
    offset: usize,
    kind: u32,
    flags: u32,
    def: Text,
    min: f64,
    max: f64,
    choices: *const Text,
    unit: Text,
    doc: Text,
    replaces: Text,
    only_with: Text,
}


/// A type of a parameter in the configuration struct. KIND is the type in the script, unless
/// `.kind()` sets another one with the same layout.
pub trait Value {
    const KIND: u32;
}
impl Value for i64 {
    const KIND: u32 = INT; // or SIZE, DURATION
}
impl Value for f64 {
    const KIND: u32 = FLOAT;
}
impl Value for Text {
    const KIND: u32 = STRING; // or PATH
}
impl Value for i32 {
    const KIND: u32 = BOOL; // or CHOICE
}
impl Value for Strings {
    const KIND: u32 = STRINGS;
}

#[repr(C)]
pub struct Interval {
    pub ns: i64,
    pub examples: i64,
}

#[repr(C)]
pub struct Strings {
    v: *const Text,
    n: u32,
    reserved: u32,
}

impl Deref for Strings {
    type Target = [Text];
    fn deref(&self) -> &[Text] {
        unsafe { slice_of(self.v, self.n as usize) }
    }
}

impl Param {
    /// Used by `param!`.
    pub const fn of<C, T: Value>(name: &'static CStr, offset: usize, _: fn(&C) -> &T) -> Param {
        Param {
            name: text(name),
            offset,
            kind: T::KIND,
            flags: 0,
            def: Text::NONE,
            min: 0.0,
            max: 0.0,
            choices: null(),
            unit: Text::NONE,
            doc: Text::NONE,
            replaces: Text::NONE,
            only_with: Text::NONE,
        }
    }
    pub const fn kind(self, kind: u32) -> Param {
        Param { kind, ..self }
    }
    pub const fn flags(self, flags: u32) -> Param {
        Param { flags, ..self }
    }
    pub const fn def(self, def: &'static CStr) -> Param {
        Param { def: text(def), ..self }
    }
    pub const fn range(self, min: f64, max: f64) -> Param {
        Param { min, max, ..self }
    }
    pub const fn unit(self, unit: &'static CStr) -> Param {
        Param { unit: text(unit), ..self }
    }
    pub const fn doc(self, doc: &'static CStr) -> Param {
        Param { doc: text(doc), ..self }
    }
}

/// Declares a parameter with the name of its field: param!(Cfg, n).def(c"3").doc(c"…").
macro_rules! param {
    ($cfg:ty, $field:ident) => {
        $crate::leat::Param::of(
            unsafe {
                std::ffi::CStr::from_bytes_with_nul_unchecked(
                    concat!(stringify!($field), "\0").as_bytes(),
                )
            },
            std::mem::offset_of!($cfg, $field),
            |cfg: &$cfg| &cfg.$field,
        )
    };
}
pub(crate) use param;

// ---- schema.h ----


#[repr(C)]
pub struct Column {
    pub name: Text,
    pub kind: u32,
    pub decimal: c_char,
    pub thousands: c_char,
    reserved: u16,
}

#[repr(C)]
pub struct Schema {
    size: u32,
    pub has: u32,
    pub score: u32,
    pub open: u32,
    n_columns: u32,
    n_fields: u32,
    column: *const Column,
    fields: *const Text,
    examples_per_record: u32,
    entries_per_record: u32,
    entries_per_256_bytes: u32,
    parts_per_record: u32,
    added_bytes_per_record: u32,
    pub max_record_bytes: u32,
    header: *const c_char,
    header_len: u32,
    copies_text: u32,
    added_names: u32,
    extents: u32,
    pub n_classes: u32,
    pub classes: *const Text,
    pub made_labels: u32,
    pub derived: u32,
    pub weighted: u32,
    pub n_joints: u32,
    pub joint: *const u32,
    pub mark: *const u8,
    pub n_marks: u32,
    reserved: u32,
}

impl Schema {
    pub fn columns(&self) -> &[Column] {
        unsafe { slice_of(self.column, self.n_columns as usize) }
    }
    pub fn fields(&self) -> &[Text] {
        unsafe { slice_of(self.fields, self.n_fields as usize) }
    }
}

#[repr(C)]
pub struct Framing {
    pub kind: u32,
    pub delimiter: c_char,
    pub quote: c_char,
    pub header: u8,
    pub flags: u8,
}

#[repr(C)]
#[derive(Default)]
pub struct Bounds {
    pub examples_per_record: u32,
    pub entries_per_record: u32,
    pub parts_per_record: u32,
    pub entries_per_256_bytes: u32,
    pub copies_entries: u32,
    pub added_bytes_per_record: u32,
    pub copies_text: u32,
    pub added_names: u32,
    pub extents: u32,
    pub reserved: [u32; 7],
}

type Report = unsafe extern "C" fn(*mut Diag, *const c_char, *const c_char, ...);

#[repr(C)]
pub struct Diag {
    size: u32,
    reserved: u32,
    error: Report,
    warn: Report,
}

impl Diag {
    /// Reports an error of a parameter of the stage; None: of no particular one.
    pub fn error(&mut self, param: Option<&CStr>, what: fmt::Arguments) {
        let (param, m) = (param.map_or(null(), CStr::as_ptr), Message::of(what));
        unsafe { (self.error)(self, param, c"%s".as_ptr(), m.as_ptr()) }
    }
}

#[repr(C)]
pub struct Negotiation {
    size: u32,
    reserved: u32,
    input: *const Schema,
    out: *mut Schema,
    diag: *mut Diag,
    column: extern "C" fn(*mut Self, *const c_char, *const c_char, u32, *mut u32) -> Status,
    add_column: extern "C" fn(*mut Self, *const c_char, usize, u32, *mut u32) -> Status,
    add_field: extern "C" fn(*mut Self, *const c_char) -> c_int,
    asked: *const Text,
    n_asked: u32,
    reserved_2: u32,
    answer: *const c_void,
    framing: *const Framing,
    add_bounds: extern "C" fn(*mut Self, *const Bounds),
    number_form: extern "C" fn(*mut Self, u32, c_char, c_char),
    leave_pairs: extern "C" fn(*mut Self, *const u32) -> Status,
    mark: extern "C" fn(*mut Self, u32, u32) -> Status,
}

impl Negotiation {
    pub fn input(&self) -> &Schema {
        unsafe { &*self.input }
    }
    pub fn out(&mut self) -> &mut Schema {
        unsafe { &mut *self.out }
    }
    pub fn diag(&mut self) -> &mut Diag {
        unsafe { &mut *self.diag }
    }
    /// Asks for a column. `param` is the parameter that names it.
    pub fn column(
        &mut self,
        param: Option<&CStr>,
        name: Text,
        takes: u32,
    ) -> Result<Status, Status> {
        let mut index = 0;
        check((self.column)(self, param.map_or(null(), CStr::as_ptr), name.0, takes, &mut index))
    }
    pub fn add_column(&mut self, name: Text, kind: u32) -> Result<Status, Status> {
        check((self.add_column)(self, name.0, name.bytes().len(), kind, null_mut()))
    }
    /// Adds a field. Returns its number.
    pub fn add_field(&mut self, name: Text) -> Result<u32, Status> {
        check((self.add_field)(self, name.0)).map(|field| field as u32)
    }
    pub fn add_bounds(&mut self, bounds: &Bounds) {
        (self.add_bounds)(self, bounds)
    }
    pub fn number_form(&mut self, column: u32, decimal: u8, thousands: u8) {
        (self.number_form)(self, column, decimal as c_char, thousands as c_char)
    }
    /// Offers to leave pairs to later learners. `joint` has one for each field.
    pub fn leave_pairs(&mut self, joint: &[u32]) -> Result<Status, Status> {
        assert!(joint.len() == self.out().n_fields as usize);
        check((self.leave_pairs)(self, joint.as_ptr()))
    }
    /// Marks a field: MARK_NUMBER or MARK_CONSTANT.
    pub fn mark(&mut self, field: u32, mark: u32) -> Result<Status, Status> {
        check((self.mark)(self, field, mark))
    }
}

// ---- stage.h ----


#[repr(C)]
pub struct Plan {
    size: u32,
    pub split: u32,
    pub state_bytes: u64,
    pub names_bytes: u64,
    pub work_bytes: u64,
    pub note: [c_char; 256],
    pub shards: u32,
    reserved_2: u32,
}

#[repr(C)]
pub struct Position {
    pub source: Text,
    pub format: Text,
    bytes: *const u8,
    n: usize,
}

impl Position {
    /// Lends a position to the host. All parts must live as long as `positions` requires.
    pub fn lent(source: Text, format: Text, bytes: &[u8]) -> Position {
        Position { source, format, bytes: bytes.as_ptr(), n: bytes.len() }
    }
    /// Returns the bytes; none if the position has not changed since the last checkpoint.
    pub fn bytes(&self) -> &[u8] {
        unsafe { slice_of(self.bytes, self.n) }
    }
}

type OfInstance<C, S> = extern "C" fn(&Ctx<C>, &mut S) -> Status;
type OfBatch<C, S> = extern "C" fn(&Ctx<C>, &mut S, &mut Batch) -> Status;
type OfNumber<C, S> = extern "C" fn(&Ctx<C>, &mut S, u64) -> Status;
type GetHeader<C, S> = extern "C" fn(&Ctx<C>, &mut S, &mut *const c_char, &mut u32) -> Status;
type Commit<C, S> = extern "C" fn(&Ctx<C>, &mut S, u64, *const Position, u32) -> Status;
type Positions<C, S> = extern "C" fn(&Ctx<C>, &mut S, &mut *const Position, &mut u32) -> Status;

#[repr(C)]
pub struct Source<C, S> {
    pub size: u32,
    pub framings: u32,
    pub produce: Option<OfBatch<C, S>>,
    pub header: Option<GetHeader<C, S>>,
    pub progress: *const c_void,
    pub wake: *const c_void,
    pub durable: *const c_void,
    pub position_format: *const c_void,
    pub position: *const c_void,
}

#[repr(C)]
pub struct Learner<C, S> {
    pub size: u32,
    pub reserved: u32,
    pub query: Option<extern "C" fn(&Ctx<C>, &mut S, &Query, &mut Answer) -> Status>,
    pub columns: *const c_void,
}

#[repr(C)]
pub struct State<C, S> {
    pub size: u32,
    pub version: u32,
    pub snapshot: Option<extern "C" fn(&Ctx<C>, &mut S, &mut Writer) -> Status>,
    pub restore: Option<extern "C" fn(&Ctx<C>, &mut S, &Reader, u32) -> Status>,
    pub merge: Option<extern "C" fn(&Ctx<C>, &mut S, &Reader, f64) -> Status>,
}

#[repr(C)]
pub struct Transaction<C, S> {
    pub size: u32,
    pub reserved: u32,
    pub name: Option<extern "C" fn(&C) -> Text>,
    pub fence: Option<extern "C" fn(&Ctx<C>, &mut S, &mut u64) -> Status>,
    pub commit: Option<Commit<C, S>>,
    pub positions: Option<Positions<C, S>>,
    pub accepts: *const Text,
}

#[repr(C)]
pub struct Asker {
    pub size: u32,
    pub reserved: u32,
    pub ask: *const c_void,
    pub show: *const c_void,
}

#[repr(C)]
pub struct Letters {
    pub size: u32,
    pub reserved: u32,
    pub take: *const c_void,
    pub flush: *const c_void,
}

/// A stage's own reason for rejecting records: a word, and a sentence.
#[repr(C)]
pub struct OwnReason {
    pub word: Text,
    pub doc: Text,
}
#[repr(C)]
pub struct Figure {
    pub name: Text,
    pub unit: Text,
    pub doc: Text,
    pub kind: u32,
}

#[repr(C)]
pub struct Stage<C: 'static, S: 'static> {
    pub name: Text,
    pub summary: Text,
    pub doc: Text,
    pub example: Text,
    pub kind: u32,
    pub caps: u32,
    pub needs: u32,
    pub makes: u32,
    pub params: *const Param,
    pub n_params: u32,
    pub param_size: u32,
    pub cfg_size: usize,
    pub reasons: *const OwnReason,
    pub n_reasons: u32,
    pub reason_size: u32,
    pub figures: *const Figure,
    pub n_figures: u32,
    pub figure_size: u32,
    pub instance_size: usize,
    pub validate: Option<extern "C" fn(&C, &mut Diag) -> Status>,
    pub negotiate: Option<extern "C" fn(&C, &mut Negotiation) -> Status>,
    pub plan: Option<extern "C" fn(&C, *const Schema, *const Schema, &mut Plan) -> Status>,
    pub framing: Option<extern "C" fn(&C, &mut Framing) -> Status>,
    pub online: *const c_void,
    pub open: Option<OfInstance<C, S>>,
    pub close: Option<extern "C" fn(&Ctx<C>, &mut S)>,
    pub start: Option<OfInstance<C, S>>,
    pub stop: Option<OfInstance<C, S>>,
    pub process: Option<OfBatch<C, S>>,
    pub expand: *const c_void,
    pub tick: *const c_void,
    pub barrier: Option<OfNumber<C, S>>,
    pub finish: *const c_void,
    pub source: Option<&'static Source<C, S>>,
    pub learner: Option<&'static Learner<C, S>>,
    pub asker: Option<&'static Asker>,
    pub letters: Option<&'static Letters>,
    pub state: Option<&'static State<C, S>>,
    pub transaction: Option<&'static Transaction<C, S>>,
}

// Makes a stage without functions; `..Stage::with(&PARAMS)` fills the rest of a stage, or of a
// role.
impl<C: Zeroed, S: Zeroed> Stage<C, S> {
    pub const fn with(params: &'static [Param]) -> Self {
        Stage {
            name: Text::NONE,
            summary: Text::NONE,
            doc: Text::NONE,
            example: Text::NONE,
            kind: 0,
            caps: 0,
            needs: 0,
            makes: 0,
            params: params.as_ptr(),
            n_params: params.len() as u32,
            param_size: size_of::<Param>() as u32,
            cfg_size: size_of::<C>(),
            reasons: null(),
            n_reasons: 0,
            reason_size: 0,
            figures: null(),
            n_figures: 0,
            figure_size: 0,
            instance_size: size_of::<S>(),
            validate: None,
            negotiate: None,
            plan: None,
            framing: None,
            online: null(),
            open: None,
            close: None,
            start: None,
            stop: None,
            process: None,
            expand: null(),
            tick: null(),
            barrier: None,
            finish: null(),
            source: None,
            learner: None,
            asker: None,
            letters: None,
            state: None,
            transaction: None,
        }
    }
    pub const fn reasons(mut self, reasons: &'static [OwnReason]) -> Self {
        self.reasons = reasons.as_ptr();
        self.n_reasons = reasons.len() as u32;
        self.reason_size = size_of::<OwnReason>() as u32;
        self
    }
    pub const fn figures(mut self, figures: &'static [Figure]) -> Self {
        self.figures = figures.as_ptr();
        self.n_figures = figures.len() as u32;
        self.figure_size = size_of::<Figure>() as u32;
        self
    }
}
impl<C, S> Source<C, S> {
    pub const NONE: Self = Source {
        size: size_of::<Self>() as u32,
        framings: 0,
        produce: None,
        header: None,
        progress: null(),
        wake: null(),
        durable: null(),
        position_format: null(),
        position: null(),
    };
}
impl<C, S> Learner<C, S> {
    pub const NONE: Self =
        Learner { size: size_of::<Self>() as u32, reserved: 0, query: None, columns: null() };
}
impl<C, S> State<C, S> {
    pub const NONE: Self = State {
        size: size_of::<Self>() as u32,
        version: 0,
        snapshot: None,
        restore: None,
        merge: None,
    };
}
impl<C, S> Transaction<C, S> {
    pub const NONE: Self = Transaction {
        size: size_of::<Self>() as u32,
        reserved: 0,
        name: None,
        fence: None,
        commit: None,
        positions: None,
        accepts: null(),
    };
}

// These are never written.
unsafe impl Sync for Param {}
unsafe impl Sync for Text {}
unsafe impl<C, S> Sync for Source<C, S> {}
unsafe impl<C, S> Sync for Learner<C, S> {}
unsafe impl Sync for Asker {}
unsafe impl Sync for Letters {}
unsafe impl<C, S> Sync for State<C, S> {}
unsafe impl<C, S> Sync for Transaction<C, S> {}
unsafe impl<C, S> Sync for Stage<C, S> {}
unsafe impl Sync for Plugin {}

// ---- plugin.h ----

#[repr(C)]
pub struct Plugin {
    magic: u32,
    abi_major: u16,
    abi_minor: u16,
    size: u32,
    min_host_minor: u32,
    name: Text,
    version: Text,
    license: Text,
    summary: Text,
    n_stages: u32,
    stage_size: u32,
    stages: *const AnyStage,
}

/// The address of a stage of any type.
#[repr(transparent)]
pub struct AnyStage(*const c_void);
unsafe impl Sync for AnyStage {}

impl AnyStage {
    pub const fn of<C, S>(stage: &'static Stage<C, S>) -> AnyStage {
        AnyStage((stage as *const Stage<C, S>).cast())
    }
}

impl Plugin {
    /// Used by `plugin!`.
    pub const fn of(about: [&'static CStr; 4], stages: &'static [AnyStage]) -> Plugin {
        Plugin {
            magic: MAGIC,
            abi_major: ABI_MAJOR,
            abi_minor: ABI_MINOR,
            size: size_of::<Plugin>() as u32,
            min_host_minor: 0,
            name: text(about[0]),
            version: text(about[1]),
            license: text(about[2]),
            summary: text(about[3]),
            n_stages: stages.len() as u32,
            stage_size: size_of::<Stage<(), ()>>() as u32,
            stages: stages.as_ptr(),
        }
    }
}

/// Defines the exported symbol: plugin!(c"mine", c"0.1", c"Apache-2.0", c"what it is", A, B). Its
/// stages are statics.
macro_rules! plugin {
    ($name:expr, $version:expr, $license:expr, $summary:expr, $($stage:ident),+) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static leat_plugin: $crate::leat::Plugin = {
            static STAGES: &[$crate::leat::AnyStage] = &[$($crate::leat::AnyStage::of(&$stage)),+];
            $crate::leat::Plugin::of([$name, $version, $license, $summary], STAGES)
        };
    };
}
pub(crate) use plugin;

// Sizes of the headers for 64 bits: a missing member would move those after it.
const _: () = {
    assert!(size_of::<Param>() == 88);
    assert!(size_of::<Column>() == 16);
    assert!(size_of::<Framing>() == 8);
    assert!(size_of::<Bounds>() == 64);
    assert!(size_of::<Position>() == 32);
    assert!(size_of::<Plugin>() == 64);
    assert!(size_of::<Stage<(), ()>>() == 272);
    assert!(size_of::<Source<(), ()>>() == 64);
    assert!(size_of::<Learner<(), ()>>() == 24);
    assert!(size_of::<State<(), ()>>() == 32);
    assert!(size_of::<Transaction<(), ()>>() == 48);
    assert!(offset_of!(Stage<(), ()>, process) == 184);
    assert!(offset_of!(Schema, max_record_bytes) == 60);
    assert!(offset_of!(Negotiation, mark) == 112);
    assert!(offset_of!(Plan, work_bytes) == 24);
};
