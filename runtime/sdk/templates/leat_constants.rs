// leat_constants.rs -- the numbers of leat's headers, without `LEAT_`. The headers explain them.
use super::Status;
use std::ffi::c_int;

// ---- status.h ----

pub const OK: Status = 0;
pub const EOS: Status = 1;
pub const AGAIN: Status = 2;
pub const LATER: Status = 3;
pub const EARG: Status = -1;
pub const ENOMEM: Status = -2;
pub const EIO: Status = -3;
pub const EDATA: Status = -4;
pub const ENONFINITE: Status = -5;
pub const EABI: Status = -6;
pub const EFULL: Status = -7;
pub const EROLLBACK: Status = -8;
pub const EFENCED: Status = -9;
pub const ESTUCK: Status = -10;
pub const R_NONE: c_int = 0;
pub const R_SYNTAX: c_int = 1;
pub const R_NUMBER: c_int = 2;
pub const R_NONFINITE: c_int = 3;
pub const R_LABEL: c_int = 4;
pub const R_QUOTE: c_int = 5;
pub const R_TOO_LARGE: c_int = 6;
pub const R_FIELDS: c_int = 7;
pub const R_INPUT: c_int = 8;
pub const R_LUA: c_int = 9;
pub const R_LIMIT: c_int = 10;
pub const R_OTHER: c_int = 11;
pub const R_TIME: c_int = 12;
pub const R_UNMATCHED: c_int = 13;
pub const R_CRASH: c_int = 14;
pub const R_COUNT: c_int = 15;
pub const R_FIRST_OWN: c_int = 256;
pub const MAX_REASONS: c_int = 256;

// ---- batch.h ----

pub const TEXT: u32 = 1;
pub const NUMBER: u32 = 2;
pub const INT64: u32 = 3;
pub const BYTES: u32 = 4;
pub const BOOLEAN: u32 = 5;
pub const TIME: u32 = 6;
pub const ROW_OK: u32 = 0;
pub const ROW_FILTERED: u32 = 1;
pub const ROW_REJECTED: u32 = 2;
pub const BATCH_DATA: u32 = 0;
pub const BATCH_END: u32 = 1;
pub const BATCH_BARRIER: u32 = 2;
pub const NULL: u32 = u32::MAX;
pub const NO_FIELD: u32 = u32::MAX;
pub const NO_INT64: i64 = i64::MIN;
pub const NO_TIME: i64 = i64::MIN;
pub const NO_BOOLEAN: u32 = 2;

// ---- schema.h ----

pub const HAS_RECORDS: u32 = 1;
pub const HAS_COLUMNS: u32 = 2;
pub const HAS_KEY: u32 = 4;
pub const HAS_TIMESTAMP: u32 = 8;
pub const HAS_LABEL: u32 = 16;
pub const HAS_EXAMPLES: u32 = 32;
pub const HAS_NAMES: u32 = 64;
pub const HAS_SCORE: u32 = 128;
pub const HAS_HEADERS: u32 = 256;
pub const SCORE_NONE: u32 = 0;
pub const SCORE_MARGIN: u32 = 1;
pub const SCORE_VALUE: u32 = 2;
pub const SCORE_CLASS: u32 = 3;
pub const SCORE_DECISION: u32 = 4;
pub const DECIMAL_UNSURE: u8 = 127;
pub const TAKES_TEXT: u32 = 2;
pub const TAKES_NUMBER: u32 = 4;
pub const TAKES_INT64: u32 = 8;
pub const TAKES_BYTES: u32 = 16;
pub const TAKES_BOOLEAN: u32 = 32;
pub const TAKES_TIME: u32 = 64;
pub const TAKES_ANY: u32 = 126;
pub const MARK_NONE: u32 = 0;
pub const MARK_NUMBER: u32 = 1;
pub const MARK_CONSTANT: u32 = 2;
pub const NO_SIDE: u32 = 0;
pub const BELOW: u32 = 1;
pub const ABOVE: u32 = 2;
pub const PARENT: u32 = 4;
pub const CROSSED: u32 = 6;
pub const RUNG: u32 = 7;
pub const ALONE: u32 = u32::MAX;
pub const LINES: u32 = 0;
pub const CSV: u32 = 1;
pub const NUL_ENDED: u32 = 2;
pub const LENGTH_PREFIXED: u32 = 3;
pub const CHUNKS: u32 = 4;
pub const MAX_COLUMNS: u32 = 65536;
pub const ADDED_NAME: u32 = 64;
pub const EXTENTS: u32 = 16;
pub const FRAMINGS_OF_TEXT: u32 = 3;
pub const FRAMINGS_OF_MESSAGES: u32 = u32::MAX;
pub const ESCAPES: u32 = 1;
pub const PIECES: u32 = 2;

// ---- host.h ----

pub const ERROR: c_int = 0;
pub const WARN: c_int = 1;
pub const INFO: c_int = 2;
pub const DEBUG: c_int = 3;
pub const CLOSING: u32 = 32;
pub const LAGS: u32 = 64;
pub const MEMBERS: u32 = 64;
pub const NEW_INPUT: u32 = u32::MAX;

// ---- param.h ----

pub const BOOL: u32 = 1;
pub const INT: u32 = 2;
pub const FLOAT: u32 = 3;
pub const STRING: u32 = 4;
pub const PATH: u32 = 5;
pub const CHOICE: u32 = 6;
pub const SIZE: u32 = 7;
pub const DURATION: u32 = 8;
pub const INTERVAL: u32 = 9;
pub const STRINGS: u32 = 10;
pub const FUNCTION: u32 = 11;
pub const REQUIRED: u32 = 1;
pub const POSITIONAL: u32 = 2;
pub const ADVANCED: u32 = 4;
pub const OPERATIONAL: u32 = 8;
pub const SECRET: u32 = 16;
pub const READS_FILE: u32 = 32;
pub const WRITES_FILE: u32 = 64;
pub const STREAM: u32 = 128;
pub const SERVERS: u32 = 256;
pub const MAY_COME: u32 = 512;
pub const READS_WHOLE: u32 = 1024;
pub const QUESTION: u32 = 2048;
pub const REFERENCES: u32 = 4096;
pub const LAYOUT: u32 = 8192;
pub const KEYED: u32 = 16384;

// ---- state.h ----

pub const U8: u32 = 1;
pub const U32: u32 = 2;
pub const U64: u32 = 3;
pub const F32: u32 = 4;
pub const F64: u32 = 5;
pub const I64: u32 = 6;

// ---- query.h ----

pub const QUERY_TOP: u32 = 1;
pub const QUERY_METRICS: u32 = 2;
pub const ORDER_WEIGHT: u32 = 0;
pub const ORDER_RISK: u32 = 1;
pub const ORDER_SUPPORT: u32 = 2;
pub const ORDER_SHARE: u32 = 3;
pub const ORDER_GAIN: u32 = 4;
pub const ORDER_CHANGE: u32 = 5;

// ---- stage.h ----

pub const SOURCE: u32 = 1;
pub const TRANSFORM: u32 = 2;
pub const LEARNER: u32 = 3;
pub const SINK: u32 = 4;
pub const PARALLEL: u32 = 1;
pub const REWRITES: u32 = 2;
pub const PARSER: u32 = 4;
pub const STATEFUL: u32 = 8;
pub const ANY_ORDER: u32 = 16;
pub const UNPACKS: u32 = 32;
pub const NAMED_LATER: u32 = 64;
pub const LEARNS: u32 = 128;
pub const REPLACES: u32 = 256;
pub const CLOCK: u32 = 512;
pub const PAIRS: u32 = 1024;
pub const COUNTER: u32 = 1;
pub const GAUGE: u32 = 2;
pub const WORD_MAX: u32 = 47;
pub const MAX_FIGURES: u32 = 64;

// ---- plugin.h ----

pub const MAGIC: u32 = 0x3174616c;
pub const ABI_MAJOR: u16 = 1;
pub const ABI_MINOR: u16 = 1;
