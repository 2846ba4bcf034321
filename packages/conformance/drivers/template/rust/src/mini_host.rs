//! Stands in for an SDK: it starts the CLI, and reads and writes its frames. Delete it when your SDK is in its place.
use serde_json::{json, Map, Value};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const ARGS: [&str; 5] = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const HIDDEN: [&str; 5] =
    ["control_request", "control_response", "control_cancel_request", "keep_alive", "transcript_mirror"];
/// How long the CLI has to leave after the end of its input.
const EXIT_GRACE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub enum HostError {
    NotFound(String),
    Closed,
    Exit(Option<i32>),
    Refused(String),
}

type Waiting = Arc<Mutex<HashMap<String, mpsc::Sender<Result<Value, HostError>>>>>;

pub struct Host {
    child: Mutex<Result<Child, HostError>>,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    inbox: Mutex<mpsc::Receiver<Value>>,
    waiting: Waiting,
    last_id: Mutex<u64>,
    is_closing: Mutex<bool>,
}

impl Host {
    /// Starts the CLI. What goes wrong is said by `initialize`.
    pub fn new(cli: &str, cwd: &str, args: &[String], on_stderr: impl Fn(&str) + Send + 'static) -> Self {
        let mut command = Command::new(cli);
        command.args(ARGS).args(args).current_dir(cwd).env("CLAUDE_CODE_ENTRYPOINT", "mini-host");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| HostError::NotFound(error.to_string()));
        let (stdin, waiting) = (Arc::new(Mutex::new(None)), Waiting::default());
        let (outbox, inbox) = mpsc::channel();
        if let Ok(child) = &mut child {
            *stdin.lock().unwrap() = child.stdin.take();
            let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
            let (input, answers) = (stdin.clone(), waiting.clone());
            thread::spawn(move || read_frames(stdout, &outbox, &input, &answers));
            thread::spawn(move || {
                for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                    on_stderr(&String::from_utf8_lossy(&line));
                }
            });
        }
        let (child, inbox) = (Mutex::new(child), Mutex::new(inbox));
        Host { child, stdin, inbox, waiting, last_id: Mutex::default(), is_closing: Mutex::default() }
    }

    pub fn initialize(&self) -> Result<(), HostError> {
        if let Err(error) = &*self.child.lock().unwrap() {
            return Err(error.clone());
        }
        match self.request(json!({ "subtype": "initialize" })) {
            Err(HostError::Closed) => Err(self.exit().err().unwrap_or(HostError::Closed)),
            other => other.map(|_| ()),
        }
    }

    pub fn send(&self, content: Value, fields: Map<String, Value>) -> Result<(), HostError> {
        let mut frame = json!({ "type": "user", "message": { "role": "user", "content": content },
            "parent_tool_use_id": null, "session_id": "" });
        frame.as_object_mut().unwrap().extend(fields);
        write_frame(&self.stdin, &frame)
    }

    /// Sends a control request and waits for its answer.
    pub fn request(&self, request: Value) -> Result<Value, HostError> {
        let id = {
            let mut last_id = self.last_id.lock().unwrap();
            *last_id += 1;
            format!("mini_{last_id}")
        };
        let (answer, answered) = mpsc::channel();
        self.waiting.lock().unwrap().insert(id.clone(), answer);
        write_frame(&self.stdin, &json!({ "type": "control_request", "request_id": id, "request": request }))?;
        answered.recv().unwrap_or(Err(HostError::Closed))
    }

    /// The next message; `None` when the CLI has left in order.
    pub fn receive(&self) -> Result<Option<Value>, HostError> {
        match self.inbox.lock().unwrap().recv() {
            Ok(message) => Ok(Some(message)),
            Err(_) => self.exit().map(|()| None),
        }
    }

    /// Ends the input, and the CLI when it does not leave then.
    pub fn close(&self) {
        *self.is_closing.lock().unwrap() = true;
        *self.stdin.lock().unwrap() = None;
        let limit = Instant::now() + EXIT_GRACE;
        if let Ok(child) = &mut *self.child.lock().unwrap() {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < limit {
                thread::sleep(Duration::from_millis(10));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn exit(&self) -> Result<(), HostError> {
        *self.stdin.lock().unwrap() = None;
        let Ok(child) = &mut *self.child.lock().unwrap() else { return Err(HostError::Closed) };
        let status = child.wait().map_err(|_| HostError::Closed)?;
        if status.success() || *self.is_closing.lock().unwrap() {
            return Ok(());
        }
        Err(HostError::Exit(status.code()))
    }
}

fn read_frames(
    stdout: impl Read,
    outbox: &mpsc::Sender<Value>,
    stdin: &Mutex<Option<ChildStdin>>,
    waiting: &Waiting,
) {
    for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
        let Ok(frame) = serde_json::from_str::<Value>(&String::from_utf8_lossy(&line)) else { continue };
        if frame["type"] == json!("control_response") {
            let response = &frame["response"];
            let asked = response["request_id"].as_str().and_then(|id| waiting.lock().unwrap().remove(id));
            if let Some(answer) = asked {
                let _ = answer.send(match response["error"].as_str() {
                    Some(error) => Err(HostError::Refused(error.to_owned())),
                    None => Ok(response["response"].clone()),
                });
            }
        } else if frame["type"] == json!("control_request") {
            let error = json!({ "subtype": "error", "request_id": frame["request_id"], "error": "not supported" });
            let _ = write_frame(stdin, &json!({ "type": "control_response", "response": error }));
        } else if frame.is_object() && !HIDDEN.contains(&frame["type"].as_str().unwrap_or_default()) {
            let _ = outbox.send(frame);
        }
    }
    waiting.lock().unwrap().clear();
}

/// One line, whole: no other frame can come in between.
fn write_frame(stdin: &Mutex<Option<ChildStdin>>, frame: &Value) -> Result<(), HostError> {
    let mut stdin = stdin.lock().unwrap();
    let pipe = stdin.as_mut().ok_or(HostError::Closed)?;
    pipe.write_all(format!("{frame}\n").as_bytes()).map_err(|_| HostError::Closed)
}
