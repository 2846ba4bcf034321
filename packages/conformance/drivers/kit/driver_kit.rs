//! Kit for conformance drivers in Rust: the driver protocol (DRIVERS.md of `claudewire-conformance`) in one file.
//!
//! Copy it beside your driver, and implement [`Port`] and [`Session`] for your SDK. It needs the crate `serde_json` and
//! the standard library, and works with any async runtime: your [`Port::block_on`] runs its futures.
//! A client-only SDK gets `query` by the mapping in DRIVERS.md, "Query on a client".
#![allow(dead_code)]

use serde_json::{json, Map, Value};
use std::collections::HashMap;
use std::future::{poll_fn, Future};
use std::io::{BufRead, Write};
use std::pin::Pin;
use std::sync::{mpsc, Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

/// Messages may still be on their way when `disconnect` has returned: the loop gets this long to end by itself.
const LOOP_LAG: Duration = Duration::from_secs(2);

pub type Fut<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;

// ---------------------------------------------------------------------------------------------------------------------
// What a driver implements

/// The SDK under test.
pub trait Port: Send + Sync + 'static {
    fn hello(&self) -> Hello;

    /// True if the SDK has a one-shot query that ends by itself: `session` is then also called with `Mode::Query`.
    /// Otherwise the kit maps `query` onto a client.
    fn has_query(&self) -> bool {
        false
    }

    /// Makes a session, without starting anything. An option it does not have: `Failure::unsupported("option NAME")`.
    fn session(&self, start: Start) -> Result<Arc<dyn Session>, Failure>;

    /// A function over stored sessions.
    fn sessions(&self, function: &str, _args: Vec<Value>) -> Fut<Value> {
        ready(Err(Failure::unsupported(format!("function {function}"))))
    }

    /// Runs a future on the calling thread. With tokio: `self.runtime.block_on(future)`.
    fn block_on(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
        block_on(future)
    }
}

/// One session of the SDK. Methods begin their work when their future is first polled, and may be called side by side.
pub trait Session: Send + Sync {
    /// Starts the CLI. A native query may begin here or with the first `receive`.
    fn connect(&self) -> Fut<()>;
    /// Hands over a user message; `content` is a text or a list of blocks, `fields` more fields of the frame.
    fn send(&self, content: Value, fields: Map<String, Value>) -> Fut<()>;
    /// The next message as a frame with the names of the wire, or `None` at the end. Called in one loop.
    fn receive(&self) -> Fut<Option<Value>>;
    /// Closes the session. Called at most once after a `connect` that has begun.
    fn disconnect(&self) -> Fut<()>;

    fn call(&self, method: &str, _args: Vec<Value>) -> Fut<Value> {
        ready(Err(Failure::unsupported(format!("method {method}"))))
    }
    /// No more messages will be sent, and those that come are still read. Without it, the kit disconnects.
    fn end_input(&self) -> Fut<()> {
        ready(Err(Failure::unsupported("end_input")))
    }
    fn abort(&self) -> Fut<()> {
        ready(Err(Failure::unsupported("abort")))
    }
}

pub struct Hello {
    pub driver: String,
    pub sdk: String,
    pub version: String,
    /// Without `query`, `query-stream`, `query:*`, `client`, `pause` and `break`, which the kit adds if the SDK has no
    /// query of its own.
    pub features: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Query,
    Client,
    /// A one-shot query that gives its prompt as text: only with the feature `query:text`.
    Text,
}

/// What a session is to be made of.
pub struct Start {
    /// `Query` only if the port `has_query`.
    pub mode: Mode,
    /// The prompt of a native query; a client gets it by `send`.
    pub prompt: Option<String>,
    /// Under the official TypeScript SDK's names. `{"$callback": NAME}` stands for a function: see [`callback_name`].
    pub options: Map<String, Value>,
    /// The program to run as the CLI.
    pub cli: String,
    pub cwd: String,
    pub callbacks: Callbacks,
}

/// Name of the callback that an option holds, from `{"$callback": "name"}`.
pub fn callback_name(value: &Value) -> Option<&str> {
    value.get("$callback")?.as_str()
}

/// An error as the driver protocol has it.
#[derive(Clone, Debug)]
pub struct Failure {
    is_unsupported: bool,
    kind: String,
    message: String,
    class: String,
    more: Map<String, Value>,
}

impl Failure {
    /// `kind` is one of the kinds in DRIVERS.md; `class` is the name of the SDK's error.
    pub fn new(kind: &str, class: &str, message: impl ToString) -> Self {
        let (kind, class) = (kind.to_owned(), class.to_owned());
        Failure { is_unsupported: false, kind, message: message.to_string(), class, more: Map::new() }
    }
    /// For what the SDK has no way to do.
    pub fn unsupported(what: impl ToString) -> Self {
        Failure { is_unsupported: true, ..Failure::new("other", "Unsupported", what) }
    }
    /// Adds `exit_code`, `signal` or `error_code`.
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.more.insert(field.to_owned(), value.into());
        self
    }
    pub fn kind(&self) -> &str {
        &self.kind
    }
    fn shown(&self) -> Value {
        let mut error = self.more.clone();
        error.insert("kind".into(), json!(self.kind));
        error.insert("message".into(), json!(self.message));
        error.insert("class".into(), json!(self.class));
        Value::Object(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.kind, self.message)
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Callbacks

/// The callbacks of one run, as its `start` command describes them.
#[derive(Clone)]
pub struct Callbacks(Arc<CallbacksOfRun>);

struct CallbacksOfRun {
    specs: Map<String, Value>,
    tell: Tell,
    calls: Mutex<HashMap<String, usize>>,
    cues: Mutex<HashMap<String, Promise<()>>>,
    open: Mutex<usize>,
    is_idle: Mutex<Box<dyn Fn() + Send>>,
}

/// Tells one callback call that it is no longer wanted. Dropping the future of the call does the same.
#[derive(Clone, Default)]
pub struct Cancel(Promise<()>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.set(());
    }
}

impl Callbacks {
    fn new(specs: Map<String, Value>, tell: Tell) -> Self {
        Callbacks(Arc::new(CallbacksOfRun {
            specs,
            tell,
            calls: Mutex::default(),
            cues: Mutex::default(),
            open: Mutex::default(),
            is_idle: Mutex::new(Box::new(|| ())),
        }))
    }

    /// Tells of a call, and gives the future of what it returns; an error is a text that the callback throws.
    /// `input` is the first argument of the callback, `tool_use_id` the second of a hook.
    pub fn call(&self, name: &str, input: Value, tool_use_id: Option<&str>, cancel: Option<&Cancel>) -> CallbackCall {
        let call = {
            let mut calls = locked(&self.0.calls);
            let count = calls.entry(name.to_owned()).or_default();
            *count += 1;
            *count - 1
        };
        *locked(&self.0.open) += 1;
        let mut fields = json!({ "name": name, "call": call, "input": input });
        if let Some(id) = tool_use_id {
            fields["tool_use_id"] = json!(id);
        }
        self.0.tell.tell("callback", fields);
        let spec = self.spec(name);
        let cue = nth(&spec["waitFor"], call).as_str().map(|cue| self.cue_of(cue));
        CallbackCall { of: self.clone(), name: name.to_owned(), call, spec, cue, cancel: cancel.cloned(), is_over: false }
    }

    /// What the run's description says of a callback, for an SDK whose types cannot say all of it.
    pub fn spec(&self, name: &str) -> Value {
        self.0.specs.get(name).cloned().unwrap_or(Value::Null)
    }

    /// One line that the CLI wrote to stderr.
    pub fn stderr(&self, line: &str) {
        self.0.tell.tell("stderr", json!({ "text": line }));
    }

    fn cue_of(&self, name: &str) -> Promise<()> {
        locked(&self.0.cues).entry(name.to_owned()).or_default().clone()
    }
    fn cue(&self, name: &str) {
        self.cue_of(name).set(());
    }
    fn end(&self) {
        self.0.tell.stop();
        for cue in locked(&self.0.cues).values() {
            cue.set(());
        }
    }
    fn are_open(&self) -> bool {
        *locked(&self.0.open) > 0
    }
    fn on_idle(&self, told: impl Fn() + Send + 'static) {
        *locked(&self.0.is_idle) = Box::new(told);
    }
}

/// A call that goes on. Await it, or `wait()` for it on a thread of its own.
pub struct CallbackCall {
    of: Callbacks,
    name: String,
    call: usize,
    spec: Value,
    cue: Option<Promise<()>>,
    cancel: Option<Cancel>,
    is_over: bool,
}

impl CallbackCall {
    pub fn wait(self) -> Result<Value, String> {
        let slot = Promise::default();
        let given = slot.clone();
        block_on(Box::pin(async move { given.set(self.await) }));
        slot.take().unwrap_or_else(|| Err("the call was lost".into()))
    }

    fn tell_cancelled(&self) {
        self.of.0.tell.tell("cancelled", json!({ "name": self.name, "call": self.call }));
    }

    fn over(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        *locked(&self.of.0.open) -= 1;
        if !self.of.are_open() {
            locked(&self.of.0.is_idle)();
        }
    }
}

impl Future for CallbackCall {
    type Output = Result<Value, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(cue) = self.cue.clone() {
            if let Some(cancel) = self.cancel.clone() {
                if cancel.0.poll_set(context).is_ready() {
                    self.tell_cancelled();
                    self.cancel = None;
                    if self.spec["ignoresAbort"] != json!(true) {
                        self.over();
                        return Poll::Ready(Err("aborted".into()));
                    }
                }
            }
            if cue.poll_set(context).is_pending() {
                return Poll::Pending;
            }
        }
        self.cue = None;
        self.over();
        if let Some(thrown) = nth(&self.spec["throws"], self.call).as_str() {
            return Poll::Ready(Err(thrown.to_owned()));
        }
        let value = nth(&self.spec["returns"], self.call);
        Poll::Ready(Ok(value.get("$raw").cloned().unwrap_or(value)))
    }
}

impl Drop for CallbackCall {
    fn drop(&mut self) {
        if !self.is_over && self.cue.is_some() {
            self.tell_cancelled();
        }
        self.over();
    }
}

/// One value for every call, or a list with one for each; the last repeats.
fn nth(given: &Value, call: usize) -> Value {
    match given {
        Value::Array(list) => list.get(call.min(list.len().wrapping_sub(1))).cloned().unwrap_or(Value::Null),
        other => other.clone(),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Serving

/// Speaks the driver protocol on stdin and stdout until stdin ends. Nothing else may print to stdout.
pub fn serve(port: impl Port) {
    let port: Arc<dyn Port> = Arc::new(port);
    let Hello { driver, sdk, version, mut features } = port.hello();
    if !port.has_query() {
        let free = ["query", "query-stream", "query:client", "query:methods", "query:close", "client", "pause", "break"];
        features.extend(free.map(String::from));
        features.sort();
        features.dedup();
    }
    let hello = json!({ "event": "hello", "protocol": 1, "driver": driver, "sdk": sdk, "version": version,
        "language": "rust", "features": features });
    write_line(&hello);
    let mut runs: HashMap<String, Arc<Run>> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match serde_json::from_str::<Value>(&line) {
            Ok(command) => handle(&port, &mut runs, command),
            Err(error) => eprintln!("not a command: {error}"),
        }
    }
    // What the SDK left running must not keep the driver alive when nobody listens any more.
    std::process::exit(0);
}

fn handle(port: &Arc<dyn Port>, runs: &mut HashMap<String, Arc<Run>>, command: Value) {
    let answer = Answer { id: command["id"].clone() };
    let name = command["run"].as_str().unwrap_or("main").to_owned();
    match command["command"].as_str().unwrap_or_default() {
        "start" => {
            let previous = runs.remove(&name);
            match Run::new(port, &name, &command) {
                Ok(run) => {
                    runs.insert(name, run.clone());
                    thread::spawn(move || {
                        if let Some(previous) = previous {
                            previous.finish();
                        }
                        run.start(answer);
                    });
                }
                Err(failure) => answer.give(Err(failure)),
            }
        }
        "finish" => {
            let ending: Vec<_> = runs.drain().map(|(_, run)| thread::spawn(move || run.finish())).collect();
            thread::spawn(move || {
                for run in ending {
                    let _ = run.join();
                }
                answer.give(Ok(Value::Null));
            });
        }
        "sessions" => {
            let function = command["function"].as_str().unwrap_or_default();
            begin(port, port.sessions(function, list(&command["args"])), move |given| answer.give(given));
        }
        other => match runs.get(&name) {
            Some(run) => run.handle(other, &command, answer),
            None => answer.give(Err(Failure::new("other", "Driver", format!("no run {name} was started")))),
        },
    }
}

struct Answer {
    id: Value,
}

impl Answer {
    fn give(self, given: Result<Value, Failure>) {
        write_line(&match given {
            Ok(result) => json!({ "id": self.id, "result": result }),
            Err(failure) if failure.is_unsupported => json!({ "id": self.id, "unsupported": failure.message }),
            Err(failure) => json!({ "id": self.id, "error": failure.shown() }),
        });
    }
}

fn write_line(value: &Value) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{value}").and_then(|()| out.flush()).is_err() {
        // The runner is gone.
        std::process::exit(0);
    }
}

/// Reports events of one run, until it is told to stop.
#[derive(Clone)]
struct Tell {
    run: String,
    is_stopped: Arc<Mutex<bool>>,
}

impl Tell {
    fn tell(&self, what: &str, mut fields: Value) {
        let is_stopped = locked(&self.is_stopped);
        if *is_stopped {
            return;
        }
        fields["event"] = json!("observed");
        fields["run"] = json!(self.run);
        fields["what"] = json!(what);
        write_line(&fields);
    }
    fn stop(&self) {
        *locked(&self.is_stopped) = true;
    }
}

/// One run: its session, the loop over its messages, and what of a query is still owed.
struct Run {
    port: Arc<dyn Port>,
    session: Arc<dyn Session>,
    callbacks: Callbacks,
    tell: Tell,
    mode: Mode,
    /// The SDK has no query: the kit ends the input, by the mapping of DRIVERS.md.
    is_mapped: bool,
    prompt: Option<String>,
    streams: bool,
    break_after: Option<u64>,
    /// Commands in their order; they begin when the session is connected.
    commands: mpsc::Sender<Box<dyn FnOnce(&Arc<Run>) + Send>>,
    queued: Mutex<Option<mpsc::Receiver<Box<dyn FnOnce(&Arc<Run>) + Send>>>>,
    flow: Mutex<Flow>,
    resumed: Mutex<Promise<()>>,
    /// The loop is to be left without another message.
    left: Promise<()>,
    loop_over: Promise<()>,
    closed: Promise<Result<(), Failure>>,
}

#[derive(Default)]
struct Flow {
    has_begun: bool,
    is_input_over: bool,
    /// A message was sent and no result has come since: the CLI may answer several messages by one result.
    is_owed: bool,
    in_flight: usize,
    is_ending: bool,
    is_closing: bool,
    is_leaving: bool,
}

impl Run {
    fn new(port: &Arc<dyn Port>, name: &str, command: &Value) -> Result<Arc<Run>, Failure> {
        let asked = match command["mode"].as_str() {
            Some("query") => Mode::Query,
            Some("text") => Mode::Text,
            _ => Mode::Client,
        };
        let is_mapped = asked == Mode::Query && !port.has_query();
        let prompt = command["prompt"].as_str().map(String::from);
        let options = command["options"].as_object().cloned().unwrap_or_default();
        let own_cli = options.get("pathToClaudeCodeExecutable").and_then(Value::as_str);
        let cli = own_cli.or(command["cli"].as_str()).unwrap_or_default().to_owned();
        let tell = Tell { run: name.to_owned(), is_stopped: Arc::default() };
        let callbacks = Callbacks::new(command["callbacks"].as_object().cloned().unwrap_or_default(), tell.clone());
        let is_native = asked != Mode::Client && !is_mapped;
        let session = port.session(Start {
            mode: if is_native { asked } else { Mode::Client },
            prompt: if is_native { prompt.clone() } else { None },
            options,
            cli,
            cwd: command["cwd"].as_str().unwrap_or_default().to_owned(),
            callbacks: callbacks.clone(),
        })?;
        let (commands, queued) = mpsc::channel();
        let run = Arc::new(Run {
            port: port.clone(),
            session,
            callbacks,
            tell,
            mode: asked,
            is_mapped,
            prompt: if is_native { None } else { prompt },
            streams: command["stream"] == json!(true),
            break_after: command["breakAfter"].as_u64(),
            commands,
            queued: Mutex::new(Some(queued)),
            flow: Mutex::default(),
            resumed: Mutex::new(Promise::done()),
            left: Promise::default(),
            loop_over: Promise::default(),
            closed: Promise::default(),
        });
        let weak = Arc::downgrade(&run);
        run.callbacks.on_idle(move || {
            if let Some(run) = weak.upgrade() {
                run.end_if_nothing_is_owed();
            }
        });
        Ok(run)
    }

    /// Connects, then lets the commands go on that came meanwhile. Runs on a thread of its own.
    fn start(self: &Arc<Self>, answer: Answer) {
        locked(&self.flow).has_begun = true;
        // The loop of a query tells of a failed start; that of a client does not begin.
        let mut answer = Some(answer);
        if self.mode != Mode::Client {
            answer.take().map(|answer| answer.give(Ok(Value::Null)));
        }
        let connected = self.wait_for(self.session.connect());
        if let Err(error) = connected {
            match answer {
                Some(answer) => answer.give(Err(error)),
                None => self.over(Some(error)),
            }
            self.loop_over.set(());
            return;
        }
        if let Some(prompt) = self.prompt.clone() {
            self.send(json!(prompt), Map::new(), |_| ());
            if self.is_mapped {
                self.end_input();
            }
        }
        let reader = self.clone();
        thread::spawn(move || reader.read());
        answer.take().map(|answer| answer.give(Ok(Value::Null)));
        let queued = locked(&self.queued).take();
        for command in queued.into_iter().flatten() {
            command(self);
        }
    }

    fn handle(self: &Arc<Self>, name: &str, command: &Value, answer: Answer) {
        match name {
            "send" => {
                if self.mode != Mode::Client && !self.streams {
                    return answer.give(Err(Failure::unsupported("send to a query with a text as its prompt")));
                }
                let (content, fields) = (command["content"].clone(), command["fields"].as_object().cloned());
                self.queue(move |run| {
                    run.send(content, fields.unwrap_or_default(), |given| answer.give(given.map(|()| Value::Null)))
                });
            }
            "end_input" => {
                if !self.streams {
                    return answer.give(Err(Failure::unsupported("end_input without a prompt stream")));
                }
                self.queue(|run| run.end_input());
                answer.give(Ok(Value::Null));
            }
            "call" => {
                let (method, args) = (command["method"].as_str().unwrap_or_default().to_owned(), list(&command["args"]));
                self.queue(move |run| {
                    locked(&run.flow).in_flight += 1;
                    let called = run.clone();
                    begin(&run.port, run.session.call(&method, args), move |given| {
                        answer.give(given);
                        locked(&called.flow).in_flight -= 1;
                        called.end_if_nothing_is_owed();
                    });
                });
            }
            "pause" => {
                *locked(&self.resumed) = Promise::default();
                answer.give(Ok(Value::Null));
            }
            "resume" => {
                locked(&self.resumed).set(());
                answer.give(Ok(Value::Null));
            }
            "abort" => begin(&self.port, self.session.abort(), move |given| answer.give(given.map(|()| Value::Null))),
            "cue" => {
                self.callbacks.cue(command["name"].as_str().unwrap_or_default());
                answer.give(Ok(Value::Null));
            }
            "close" | "break" => {
                let (run, is_break) = (self.clone(), name == "break");
                thread::spawn(move || {
                    if is_break {
                        run.leave();
                    }
                    answer.give(run.close().map(|()| Value::Null));
                });
            }
            other => answer.give(Err(Failure::unsupported(format!("command {other}")))),
        }
    }

    fn queue(self: &Arc<Self>, command: impl FnOnce(&Arc<Run>) + Send + 'static) {
        // Fails only when the session could not be connected: its answer is then the end of the run.
        let _ = self.commands.send(Box::new(command));
    }

    fn send(
        self: &Arc<Self>,
        content: Value,
        fields: Map<String, Value>,
        taken: impl FnOnce(Result<(), Failure>) + Send + 'static,
    ) {
        {
            let mut flow = locked(&self.flow);
            flow.in_flight += 1;
            flow.is_owed = true;
        }
        let run = self.clone();
        begin(&self.port, self.session.send(content, fields), move |given| {
            taken(given);
            locked(&run.flow).in_flight -= 1;
            run.end_if_nothing_is_owed();
        });
    }

    fn end_input(self: &Arc<Self>) {
        if self.is_mapped {
            locked(&self.flow).is_input_over = true;
            return self.end_if_nothing_is_owed();
        }
        let tell = self.tell.clone();
        begin(&self.port, self.session.end_input(), move |given| {
            if let Err(error) = given {
                tell.tell("error", json!({ "error": error.shown() }));
            }
        });
    }

    /// Query on a client: what its user does when every answer has come.
    fn end_if_nothing_is_owed(self: &Arc<Self>) {
        {
            let mut flow = locked(&self.flow);
            let is_open = !flow.is_input_over || flow.is_owed || flow.in_flight > 0 || self.callbacks.are_open();
            if !self.is_mapped || flow.is_ending || is_open {
                return;
            }
            flow.is_ending = true;
        }
        let run = self.clone();
        thread::spawn(move || match run.wait_for(run.session.end_input()) {
            Err(failure) if failure.is_unsupported => {
                if let Err(error) = run.close() {
                    run.over(Some(error));
                }
            }
            Err(error) => run.over(Some(error)),
            Ok(()) => (),
        });
    }

    fn read(self: &Arc<Self>) {
        let ended = self.read_until_left();
        let is_closing = locked(&self.flow).is_closing;
        match ended {
            Ok(()) => self.over(None),
            // The user has closed it: that is no failure.
            Err(error) if is_closing && error.kind == "closed" => self.over(None),
            Err(error) => self.over(Some(error)),
        }
        self.loop_over.set(());
    }

    fn read_until_left(self: &Arc<Self>) -> Result<(), Failure> {
        let mut told = 0;
        loop {
            let resumed = locked(&self.resumed).clone();
            let left = self.left.clone();
            let next = self.session.receive();
            let got = self.wait_for(Box::pin(async move {
                either(resumed.wait(), left.wait()).await;
                Ok(either(next, left.wait()).await)
            }))?;
            let Some(message) = got.transpose()?.flatten() else { return Ok(()) };
            if locked(&self.flow).is_leaving {
                return Ok(());
            }
            let is_result = message["type"] == json!("result");
            self.tell.tell("message", json!({ "message": message }));
            told += 1;
            if self.break_after == Some(told) {
                self.leave();
                let run = self.clone();
                thread::spawn(move || run.close());
                return Ok(());
            }
            if is_result {
                locked(&self.flow).is_owed = false;
            }
            self.end_if_nothing_is_owed();
        }
    }

    /// The loop is over, which is told once.
    fn over(&self, error: Option<Failure>) {
        {
            let mut flow = locked(&self.flow);
            if std::mem::replace(&mut flow.is_leaving, true) {
                return;
            }
        }
        match error {
            None => self.tell.tell("end", json!({})),
            Some(error) => self.tell.tell("error", json!({ "error": error.shown() })),
        }
    }

    /// Leaves the loop as `break` does: nothing more is told.
    fn leave(&self) {
        locked(&self.flow).is_leaving = true;
        self.left.set(());
    }

    /// Disconnects once. Whoever asks again waits for the first.
    fn close(self: &Arc<Self>) -> Result<(), Failure> {
        let is_first = {
            let mut flow = locked(&self.flow);
            flow.has_begun && !std::mem::replace(&mut flow.is_closing, true)
        };
        if is_first {
            let closed = self.wait_for(self.session.disconnect());
            self.closed.set(closed);
            let run = self.clone();
            thread::spawn(move || {
                thread::sleep(LOOP_LAG);
                run.left.set(());
            });
        } else if !locked(&self.flow).is_closing {
            return Ok(());
        }
        let closed = self.closed.clone();
        self.wait_for(Box::pin(async move { closed.wait().await }))
    }

    /// Ends what still runs. Nothing is told from here on.
    fn finish(self: &Arc<Self>) {
        self.callbacks.end();
        let _ = self.close();
        self.left.set(());
        let loop_over = self.loop_over.clone();
        let _ = self.wait_for(Box::pin(async move { Ok(loop_over.wait().await) }));
    }

    fn wait_for<T: Send + 'static>(&self, future: Fut<T>) -> Result<T, Failure> {
        wait_for(&self.port, future)
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Futures, with the standard library alone

/// Begins the work now, so that commands stay in order, and ends it on a thread of its own if it has to wait.
fn begin<T: Send + 'static>(
    port: &Arc<dyn Port>,
    mut future: Fut<T>,
    done: impl FnOnce(Result<T, Failure>) + Send + 'static,
) {
    let first = Promise::default();
    let given = first.clone();
    let polled = &mut future;
    port.block_on(Box::pin(async move {
        let outcome = poll_fn(|context| match polled.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        });
        given.set(outcome.await);
    }));
    match first.take().flatten() {
        Some(value) => done(value),
        None => {
            let port = port.clone();
            thread::spawn(move || done(wait_for(&port, future)));
        }
    }
}

fn wait_for<T: Send + 'static>(port: &Arc<dyn Port>, future: Fut<T>) -> Result<T, Failure> {
    let slot = Promise::default();
    let given = slot.clone();
    port.block_on(Box::pin(async move { given.set(future.await) }));
    slot.take().unwrap_or_else(|| Err(Failure::new("other", "Driver", "the future was dropped")))
}

/// A future that is ready.
pub fn ready<T: Send + 'static>(value: Result<T, Failure>) -> Fut<T> {
    Box::pin(std::future::ready(value))
}

/// Runs blocking work on a thread of its own, from the first poll on.
pub fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Fut<T> {
    Box::pin(async move {
        let promise = Promise::default();
        let given = promise.clone();
        thread::spawn(move || given.set(work()));
        poll_fn(|context| promise.poll_set(context)).await;
        promise.take().unwrap_or_else(|| Err(Failure::new("other", "Driver", "the value was taken")))
    })
}

/// The value of the first, or `None` when the second is ready before it.
async fn either<T>(first: impl Future<Output = T>, second: impl Future<Output = ()>) -> Option<T> {
    let (mut first, mut second) = (Box::pin(first), Box::pin(second));
    poll_fn(move |context| {
        if let Poll::Ready(value) = first.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        second.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// A value that comes later. The first one counts.
pub struct Promise<T>(Arc<Mutex<(Option<T>, Vec<Waker>)>>);

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Promise(self.0.clone())
    }
}

impl<T> Default for Promise<T> {
    fn default() -> Self {
        Promise(Arc::new(Mutex::new((None, Vec::new()))))
    }
}

impl Promise<()> {
    fn done() -> Self {
        let promise = Promise::default();
        promise.set(());
        promise
    }
}

impl<T> Promise<T> {
    pub fn set(&self, value: T) {
        let wakers = {
            let mut slot = locked(&self.0);
            if slot.0.is_none() {
                slot.0 = Some(value);
            }
            std::mem::take(&mut slot.1)
        };
        for waker in wakers {
            waker.wake();
        }
    }
    fn take(&self) -> Option<T> {
        locked(&self.0).0.take()
    }
    fn poll_set(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut slot = locked(&self.0);
        if slot.0.is_some() {
            return Poll::Ready(());
        }
        slot.1.push(context.waker().clone());
        Poll::Pending
    }
}

impl<T: Clone + Send + 'static> Promise<T> {
    pub fn wait(&self) -> impl Future<Output = T> + Send + 'static {
        let promise = self.clone();
        poll_fn(move |context| match promise.poll_set(context) {
            Poll::Ready(()) => locked(&promise.0).0.clone().map_or(Poll::Pending, Poll::Ready),
            Poll::Pending => Poll::Pending,
        })
    }
}

struct ThreadWaker(thread::Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread, for an SDK without a runtime.
pub fn block_on(mut future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
    let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
    let mut context = Context::from_waker(&waker);
    while future.as_mut().poll(&mut context).is_pending() {
        thread::park();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
