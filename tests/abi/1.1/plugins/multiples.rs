// multiples.rs -- plugin of ABI 1.1 in Rust, with declarations written by hand: what it needs of
// plugin.h, stage.h, host.h, param.h and batch.h, each struct up to the last member that it uses.
// A filter with a parameter. Never changed once 1.1 is out.
use std::ffi::{c_char, c_int, c_void};
use std::mem::{offset_of, size_of};
use std::ptr::null;

#[repr(C)]
struct Plugin {
    magic: u32,
    abi_major: u16,
    abi_minor: u16,
    size: u32,
    min_host_minor: u32,
    name: *const c_char,
    version: *const c_char,
    license: *const c_char,
    summary: *const c_char,
    n_stages: u32,
    stage_size: u32,
    stages: *const &'static Stage,
}

#[repr(C)]
struct Param {
    name: *const c_char,
    offset: usize,
    kind: u32,
    flags: u32,
    def: *const c_char,
    min: f64,
    max: f64,
    choices: *const *const c_char,
    unit: *const c_char,
    doc: *const c_char,
}

// Through `process`: what follows is absent.
#[repr(C)]
struct Stage {
    name: *const c_char,
    summary: *const c_char,
    doc: *const c_char,
    example: *const c_char,
    kind: u32,
    caps: u32,
    needs: u32,
    makes: u32,
    params: *const Param,
    n_params: u32,
    param_size: u32,
    cfg_size: usize,
    reasons: *const c_void,
    n_reasons: u32,
    reason_size: u32,
    figures: *const c_void,
    n_figures: u32,
    figure_size: u32,
    instance_size: usize,
    before_the_start: [*const c_void; 5], // validate, negotiate, plan, framing, online
    open: *const c_void,
    close: *const c_void,
    start: *const c_void,
    stop: *const c_void,
    process: extern "C" fn(*const Ctx, *mut c_void, *mut Batch) -> c_int,
}

#[repr(C)]
struct Ctx {
    size: u32,
    lane: u32,
    host: *const c_void,
    id: *const c_char,
    cfg: *const Cfg,
}

#[repr(C)]
struct Slice {
    off: u32,
    len: u32,
}

#[repr(C)]
struct Batch {
    size: u32,
    kind: u32,
    seq: u64,
    bytes: *const u8,
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
    raw: *const Slice,
}

// Only data that nobody writes.
unsafe impl Sync for Plugin {}
unsafe impl Sync for Param {}
unsafe impl Sync for Stage {}

#[repr(C)]
struct Cfg {
    of: i64,
}

static PARAMS: [Param; 1] = [Param {
    name: c"of".as_ptr(),
    offset: offset_of!(Cfg, of),
    kind: 2, // LEAT_INT
    flags: 0,
    def: c"2".as_ptr(),
    min: 1.0,
    max: 1e6,
    choices: null(),
    unit: null(),
    doc: c"the divisor".as_ptr(),
}];

static MULTIPLES: Stage = Stage {
    name: c"keep.multiples".as_ptr(),
    summary: c"keeps multiples".as_ptr(),
    doc: c"In Rust.".as_ptr(),
    example: c"leat.keep.multiples { of = 3 }".as_ptr(),
    kind: 2, // LEAT_TRANSFORM
    caps: 1, // LEAT_PARALLEL
    needs: 1, // LEAT_HAS_RECORDS
    makes: 0,
    params: PARAMS.as_ptr(),
    n_params: 1,
    param_size: size_of::<Param>() as u32,
    cfg_size: size_of::<Cfg>(),
    reasons: null(),
    n_reasons: 0,
    reason_size: 0,
    figures: null(),
    n_figures: 0,
    figure_size: 0,
    instance_size: 0,
    before_the_start: [null(); 5],
    open: null(),
    close: null(),
    start: null(),
    stop: null(),
    process,
};

extern "C" fn process(ctx: *const Ctx, _: *mut c_void, b: *mut Batch) -> c_int {
    unsafe {
        let (b, of) = (&mut *b, (*(*ctx).cfg).of);
        for k in 0..b.n_sel as usize {
            let r = *b.sel.add(k) as usize;
            let raw = &*b.raw.add(r);
            let text = std::slice::from_raw_parts(b.bytes.add(raw.off as usize), raw.len as usize);
            let number = text.iter().fold(0i64, |n, c| n * 10 + i64::from(c - b'0'));
            if number % of != 0 {
                *b.status.add(r) = 1; // LEAT_ROW_FILTERED, as leat_filter does
                b.touched = 1;
            }
        }
    }
    0
}

static STAGES: [&Stage; 1] = [&MULTIPLES];

#[no_mangle]
pub static leat_plugin: PluginSymbol = PluginSymbol(Plugin {
    magic: 0x3174616c,
    abi_major: 1,
    abi_minor: 1,
    size: size_of::<Plugin>() as u32,
    min_host_minor: 0,
    name: c"multiples".as_ptr(),
    version: c"1.0".as_ptr(),
    license: c"Apache-2.0".as_ptr(),
    summary: c"a filter, in Rust".as_ptr(),
    n_stages: 1,
    stage_size: size_of::<Stage>() as u32,
    stages: STAGES.as_ptr(),
});

#[repr(transparent)]
pub struct PluginSymbol(Plugin);
