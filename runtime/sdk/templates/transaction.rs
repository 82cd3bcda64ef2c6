// mystage.rs -- sink.mystage: writes records to a table of a SQLite database, each exactly once.
//
// Rows, the number of the checkpoint and the host's positions form one transaction. To make it
// yours, replace the statements. After any end of a run, even if its snapshots are lost, the next
// run into this database continues after the last commit.
mod leat;
mod sqlite;
use leat::*;
use sqlite::{Db, Statement, Value};
use std::ffi::CString;
use std::ptr::null;

#[repr(C)]
struct Cfg {
    path: Text,
}
unsafe impl Zeroed for Cfg {}

static PARAMS: [Param; 1] = [param!(Cfg, path)
    .flags(REQUIRED | POSITIONAL | WRITES_FILE)
    .doc(c"the database; one run at a time writes to it")];

#[repr(C)]
struct Sink {
    store: Option<Box<Store>>, // from open to close
}
unsafe impl Zeroed for Sink {}

/// Its members are dropped in this order.
struct Store {
    insert: Statement,
    put: Statement,
    get: Statement,
    db: Db,
    owner: i64,
    begun: bool, // a transaction is open
    position: Option<Position>,
}

impl Store {
    fn open(path: Text) -> Result<Store, String> {
        let db = Db::open(path.c_str())?;
        db.run(
            c"pragma journal_mode = wal; create table if not exists rows (record text);
              create table if not exists run (id integer primary key, owner int, checkpoint int);
              insert or ignore into run values (1, 0, 0);
              create table if not exists place (source text primary key, format text, bytes blob)",
        )?;
        let insert = db.prepare(c"insert into rows values (?)")?;
        let put = db.prepare(c"replace into place values (?, ?, ?)")?;
        let get = db.prepare(c"select * from place")?;
        Ok(Store { insert, put, get, db, owner: 0, begun: false, position: None })
    }
    /// Fences earlier runs: they cannot commit any more, because they find another owner.
    fn fence(&mut self) -> Result<i64, String> {
        self.db.run(c"update run set owner = owner + 1")?;
        self.owner = self.db.number(c"select owner from run")?;
        self.db.number(c"select checkpoint from run")
    }
    fn commit(&mut self, checkpoint: u64, list: &[Position]) -> Result<(), String> {
        for p in list.iter().filter(|p| !p.bytes().is_empty()) {
            let (source, format) = (Value::Text(p.source.bytes()), Value::Text(p.format.bytes()));
            self.put.run(&[source, format, Value::Blob(p.bytes())])?;
        }
        self.begun = false;
        let sql = format!("update run set checkpoint = {checkpoint}; commit");
        self.db.run(&CString::new(sql).map_err(|e| e.to_string())?)
    }
}

fn report<T>(ctx: &Ctx<Cfg>, done: Result<T, String>) -> Result<T, Status> {
    done.map_err(|why| ctx.fail(EIO, format_args!("{}: {why}", ctx.cfg().path)))
}

/// Does something with the database, in a transaction.
fn within<T>(
    ctx: &Ctx<Cfg>,
    s: &mut Sink,
    work: impl FnOnce(&mut Store) -> Result<T, Status>,
) -> Result<T, Status> {
    let store = s.store.as_deref_mut().ok_or(EARG)?;
    if !store.begun {
        report(ctx, store.db.run(c"begin immediate"))?;
        store.begun = true;
        if report(ctx, store.db.number(c"select owner from run"))? != store.owner {
            return Err(ctx.fail(EFENCED, format_args!("another run writes to this database now")));
        }
    }
    work(store)
}

extern "C" fn open(ctx: &Ctx<Cfg>, s: &mut Sink) -> Status {
    attempt(|| {
        s.store = Some(Box::new(report(ctx, Store::open(ctx.cfg().path))?));
        Ok(OK)
    })
}

extern "C" fn close(_: &Ctx<Cfg>, s: &mut Sink) {
    s.store = None;
}

extern "C" fn fence(ctx: &Ctx<Cfg>, s: &mut Sink, checkpoint: &mut u64) -> Status {
    attempt(|| {
        let store = s.store.as_deref_mut().ok_or(EARG)?;
        *checkpoint = report(ctx, store.fence())? as u64;
        Ok(OK)
    })
}

extern "C" fn process(ctx: &Ctx<Cfg>, s: &mut Sink, b: &mut Batch) -> Status {
    attempt(|| {
        within(ctx, s, |store| {
            b.each_record(|b, r| {
                let record = Value::Text(b.text(b.raw(r)).unwrap_or(b""));
                report(ctx, store.insert.run(&[record])).map(|_| OK)
            })
        })
    })
}

extern "C" fn commit(c: &Ctx<Cfg>, s: &mut Sink, n: u64, at: *const Position, len: u32) -> Status {
    let list = unsafe { slice_of(at, len as usize) };
    attempt(|| within(c, s, |store| report(c, store.commit(n, list))).map(|_| OK))
}

/// Lends the host's position of the last commit, from the query.
extern "C" fn positions(
    _: &Ctx<Cfg>,
    s: &mut Sink,
    list: &mut *const Position,
    n: &mut u32,
) -> Status {
    let Some(store) = s.store.as_deref_mut() else { return EARG };
    let (found, get) = (store.get.first(), &store.get);
    store.position = found.then(|| Position::lent(get.text(0), get.text(1), get.blob(2)));
    *n = store.position.iter().len() as u32;
    *list = store.position.as_ref().map_or(null(), |p| p);
    OK
}

extern "C" fn name(cfg: &Cfg) -> Text {
    cfg.path
}

static ONCE: Transaction<Cfg, Sink> = Transaction {
    name: Some(name),
    fence: Some(fence),
    commit: Some(commit),
    positions: Some(positions),
    ..Transaction::NONE
};

static STAGE: Stage<Cfg, Sink> = Stage {
    name: text(c"sink.mystage"),
    summary: text(c"records into a SQLite database, exactly once"),
    doc: text(c"Each record is a row of the table rows. One run at a time writes to a database."),
    example: text(c"leat.sink.mystage { \"out.db\" }"),
    kind: SINK,
    needs: HAS_RECORDS,
    open: Some(open),
    close: Some(close),
    process: Some(process),
    transaction: Some(&ONCE),
    ..Stage::with(&PARAMS)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"records into SQLite, exactly once", STAGE);
