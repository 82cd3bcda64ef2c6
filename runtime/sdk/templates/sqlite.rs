// sqlite.rs -- safe wrappers of the few functions of SQLite that a sink needs. An error is a text.
use crate::leat::Text;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::{null, null_mut};
use std::slice;

const ROW: c_int = 100;
const DONE: c_int = 101;
const LOCK_MS: c_int = 20000; // wait for another connection that holds the database

type Raw = *mut c_void; // sqlite3 * or sqlite3_stmt *
type Unused = *const c_void; // NULL; for bound bytes NULL means that they are lent

#[link(name = "sqlite3")]
extern "C" {
    fn sqlite3_open(path: *const c_char, db: *mut Raw) -> c_int;
    fn sqlite3_close(db: Raw) -> c_int;
    fn sqlite3_errmsg(db: Raw) -> Text;
    fn sqlite3_busy_timeout(db: Raw, ms: c_int) -> c_int;
    fn sqlite3_exec(db: Raw, sql: *const c_char, f: Unused, arg: Unused, e: Unused) -> c_int;
    fn sqlite3_prepare_v2(db: Raw, sql: *const c_char, n: c_int, q: *mut Raw, _: Unused) -> c_int;
    fn sqlite3_finalize(q: Raw) -> c_int;
    fn sqlite3_db_handle(q: Raw) -> Raw;
    fn sqlite3_bind_text(q: Raw, i: c_int, at: *const u8, n: c_int, free: Unused) -> c_int;
    fn sqlite3_bind_blob(q: Raw, i: c_int, at: *const u8, n: c_int, free: Unused) -> c_int;
    fn sqlite3_step(q: Raw) -> c_int;
    fn sqlite3_reset(q: Raw) -> c_int;
    fn sqlite3_column_int64(q: Raw, i: c_int) -> i64;
    fn sqlite3_column_text(q: Raw, i: c_int) -> Text;
    fn sqlite3_column_blob(q: Raw, i: c_int) -> *const u8;
    fn sqlite3_column_bytes(q: Raw, i: c_int) -> c_int;
}

/// Returns Ok if a call returned the expected code; else SQLite's message.
fn expect(db: Raw, code: c_int, expected: c_int) -> Result<(), String> {
    if code == expected {
        return Ok(());
    }
    Err(unsafe { sqlite3_errmsg(db) }.to_string())
}

/// A connection. Dropping it rolls uncommitted rows back.
pub struct Db(Raw);

impl Db {
    pub fn open(path: &CStr) -> Result<Db, String> {
        let mut db = Db(null_mut());
        let code = unsafe { sqlite3_open(path.as_ptr(), &mut db.0) };
        expect(db.0, code, 0)?;
        expect(db.0, unsafe { sqlite3_busy_timeout(db.0, LOCK_MS) }, 0)?;
        Ok(db)
    }
    /// Runs statements without rows.
    pub fn run(&self, sql: &CStr) -> Result<(), String> {
        let code = unsafe { sqlite3_exec(self.0, sql.as_ptr(), null(), null(), null()) };
        expect(self.0, code, 0)
    }
    pub fn prepare(&self, sql: &CStr) -> Result<Statement, String> {
        let mut q = Statement(null_mut());
        let code = unsafe { sqlite3_prepare_v2(self.0, sql.as_ptr(), -1, &mut q.0, null()) };
        expect(self.0, code, 0).map(|_| q)
    }
    /// Returns the number that a query yields.
    pub fn number(&self, sql: &CStr) -> Result<i64, String> {
        let q = self.prepare(sql)?;
        expect(self.0, unsafe { sqlite3_step(q.0) }, ROW)?;
        Ok(unsafe { sqlite3_column_int64(q.0, 0) })
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        unsafe { sqlite3_close(self.0) };
    }
}

/// A prepared statement. Drop it before its connection.
pub struct Statement(Raw);

pub enum Value<'a> {
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

impl Statement {
    /// Runs the statement, which yields no rows, with these values of its parameters.
    pub fn run(&mut self, values: &[Value]) -> Result<(), String> {
        for (i, value) in (1..).zip(values) {
            let (Value::Text(v) | Value::Blob(v)) = value;
            let bind = match value {
                Value::Text(_) => sqlite3_bind_text,
                Value::Blob(_) => sqlite3_bind_blob,
            };
            unsafe { bind(self.0, i, v.as_ptr(), v.len() as c_int, null()) };
        }
        let code = unsafe { sqlite3_step(self.0) };
        let db = unsafe { sqlite3_db_handle(self.0) };
        let done = expect(db, code, DONE);
        unsafe { sqlite3_reset(self.0) };
        done
    }
    /// Runs the statement, and stays at its first row. Returns false if there is none.
    pub fn first(&mut self) -> bool {
        unsafe {
            sqlite3_reset(self.0);
            sqlite3_step(self.0) == ROW
        }
    }
    /// Lends a column of that row until the statement runs again.
    pub fn text(&self, i: c_int) -> Text {
        unsafe { sqlite3_column_text(self.0, i) }
    }
    pub fn blob(&self, i: c_int) -> &[u8] {
        unsafe {
            let at = sqlite3_column_blob(self.0, i);
            let n = sqlite3_column_bytes(self.0, i) as usize;
            if at.is_null() {
                &[]
            } else {
                slice::from_raw_parts(at, n)
            }
        }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        unsafe { sqlite3_finalize(self.0) };
    }
}
