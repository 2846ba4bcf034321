package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// session is one running CLI.
type session struct {
	run        string
	rule       string // when stdin closes: "string", "stream" or "held"
	breakAfter int
	lines      chan []byte // on their way to stdin; closed with it
	process    *exec.Cmd
	initialize *answer
	gone       chan struct{} // closed when the process has ended and everything was told

	mutex      sync.Mutex // guards what follows
	changed    *sync.Cond
	answers    map[string]*answer // of requests that are open
	ids        int
	promptOver bool
	lastResult map[string]any
	isClosed   bool // stdin
	stderrTail string
	isPaused   bool
	queue      []json.RawMessage
	isStopped  bool // by close, break or abort: no more messages are wanted
	reason     *failure
	isOver     bool // the process has ended
	end        *failure
}

// answer is that to one control request: nil when the session ended first.
type answer struct {
	done chan struct{}
	body map[string]any
}

// start runs the CLI and writes initialize and a string prompt at once, without waiting for an answer.
func start(c command) (*session, *failure) {
	args, env, initialize, bad := plan(c)
	if bad != nil {
		return nil, bad
	}
	s := &session{
		run: c.Run, rule: "string", breakAfter: c.BreakAfter, lines: make(chan []byte, 4096),
		gone: make(chan struct{}), answers: map[string]*answer{},
	}
	s.changed = sync.NewCond(&s.mutex)
	if c.Mode == "client" {
		s.rule = "held"
	} else if c.Stream {
		s.rule = "stream"
	}
	s.process = exec.Command(c.CLI, args...)
	s.process.Dir, s.process.Env = c.Cwd, env
	if folder, is := c.Options["cwd"].(string); is {
		s.process.Dir = folder
	}
	stdin, _ := s.process.StdinPipe()
	output, _ := s.process.StdoutPipe()
	stderr, _ := s.process.StderrPipe()
	if err := s.process.Start(); errors.Is(err, os.ErrNotExist) {
		return nil, fail("not_found", err.Error())
	} else if err != nil {
		return nil, fail("launch", err.Error())
	}
	go func() {
		// A CLI that does not read must not hold up the commands; one that is gone shows by its exit.
		for line := range s.lines {
			stdin.Write(line)
		}
		stdin.Close()
	}()
	s.initialize = s.request(initialize)
	if c.Prompt != nil {
		s.write(userFrame([]any{map[string]any{"type": "text", "text": *c.Prompt}}, nil))
		s.promptOver = true
	}
	go s.consume()
	go s.read(output, stderr, c.Options["stderr"] != nil)
	return s, nil
}

func userFrame(content any, fields map[string]any) map[string]any {
	frame := map[string]any{"type": "user", "session_id": "", "parent_tool_use_id": nil, "message": map[string]any{"role": "user", "content": content}}
	for name, field := range fields {
		frame[name] = field
	}
	return frame
}

// write sends one frame: one JSON object on one line, whole.
func (s *session) write(frame any) *failure {
	line, err := json.Marshal(frame)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isClosed {
		err = errors.New("the input of the CLI is closed")
	}
	if err != nil {
		return fail("closed", err.Error())
	}
	s.lines <- append(line, '\n')
	return nil
}

func (s *session) request(payload map[string]any) *answer {
	s.mutex.Lock()
	s.ids++
	id, a := fmt.Sprintf("req_%d", s.ids), &answer{done: make(chan struct{})}
	s.answers[id] = a
	s.mutex.Unlock()
	if s.write(map[string]any{"type": "control_request", "request_id": id, "request": payload}) != nil {
		s.settle(id, nil)
	}
	return a
}

// settle gives an answer to the request it names. An unknown id, and a second answer, mean nothing.
func (s *session) settle(id string, body map[string]any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if a := s.answers[id]; a != nil {
		delete(s.answers, id)
		a.body = body
		close(a.done)
	}
}

func (a *answer) wait(s *session) (any, *failure) {
	<-a.done
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case a.body == nil && s.end != nil:
		return nil, s.end
	case a.body == nil:
		return nil, fail("closed", "the session ended before the answer")
	case a.body["subtype"] != "success":
		code, _ := a.body["error_code"].(string)
		return nil, &failure{Kind: "control", Message: fmt.Sprint(a.body["error"]), Class: "error", ErrorCode: code}
	}
	return a.body["response"], nil
}

func (s *session) endPrompt() {
	s.mutex.Lock()
	s.promptOver = true
	s.mutex.Unlock()
	s.mayCloseInput()
}

// mayCloseInput closes stdin when nothing needs it any more: the prompt is over, a string prompt has its result, and
// no request waits for its answer.
func (s *session) mayCloseInput() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	open := len(s.answers)
	for _, a := range s.answers {
		if a == s.initialize {
			open--
		}
	}
	if s.rule != "held" && s.promptOver && (s.rule == "stream" || s.lastResult != nil) && open == 0 {
		s.closeInput()
	}
}

func (s *session) closeInput() {
	if !s.isClosed {
		s.isClosed = true
		close(s.lines)
	}
}

func (s *session) pause(isPaused bool) {
	s.mutex.Lock()
	s.isPaused = isPaused
	s.mutex.Unlock()
	s.changed.Broadcast()
}

// stop ends the session: end of input now, SIGTERM after 2 s, SIGKILL after 7 s. Later reasons are consequences.
func (s *session) stop(reason *failure) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isStopped || s.isOver {
		s.isPaused = false
		s.changed.Broadcast()
		return
	}
	s.isStopped, s.reason = true, reason
	s.closeInput()
	s.changed.Broadcast()
	go func() {
		for i, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			select {
			case <-s.gone:
				return
			case <-time.After(time.Duration(2+3*i) * time.Second):
				s.process.Process.Signal(signal)
			}
		}
	}()
}

// read takes the output apart until both pipes have ended and the process is gone.
func (s *session) read(output, stderr io.Reader, tells bool) {
	drained := make(chan struct{})
	go eachLine(stderr, func(line []byte) {
		s.mutex.Lock()
		s.stderrTail = s.stderrTail[max(0, len(s.stderrTail)-2048):] + "\n" + string(line)
		s.mutex.Unlock()
		if tells {
			s.observe("stderr", "text", string(line))
		}
	}, func() { close(drained) })
	eachLine(output, s.frame, func() {
		s.mutex.Lock()
		s.closeInput()
		s.mutex.Unlock()
		<-drained
	})
	s.process.Wait()
	s.over()
}

// eachLine has no limit for a line, and counts a last one without a newline.
func eachLine(input io.Reader, on func([]byte), after func()) {
	lines := bufio.NewReaderSize(input, 64*1024)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			on(bytes.ToValidUTF8(line, []byte("\uFFFD")))
		}
		if err != nil {
			after()
			return
		}
	}
}

// frame sorts one line. What is not a JSON object is no frame: some library printed it.
func (s *session) frame(line []byte) {
	var frame map[string]any
	if json.Unmarshal(line, &frame) != nil || frame == nil {
		return
	}
	switch frame["type"] {
	case "control_response":
		body, _ := frame["response"].(map[string]any)
		id, _ := body["request_id"].(string)
		s.settle(id, body)
	case "control_request":
		s.write(map[string]any{"type": "control_response", "response": map[string]any{
			"subtype": "error", "request_id": frame["request_id"], "error": "Unsupported control request", "error_code": "unsupported_request",
		}})
	case "control_cancel_request", "keep_alive", "transcript_mirror":
	default:
		if frame["subtype"] == "session_state_changed" && frame["sdk_host_only"] == true {
			return
		}
		s.mutex.Lock()
		if frame["type"] == "result" {
			s.lastResult = frame
		}
		// As it came: numbers would lose digits on the way through Go's.
		s.queue = append(s.queue, json.RawMessage(line))
		s.mutex.Unlock()
		s.changed.Broadcast()
	}
	s.mayCloseInput()
}

// over decides how the loop ends: with the reason it was stopped for, else with what the exit says.
func (s *session) over() {
	s.mutex.Lock()
	s.isOver, s.end = true, s.reason
	if state := s.process.ProcessState; !s.isStopped && !state.Success() {
		code := state.ExitCode()
		s.end = fail("process_exit", "the CLI ended: "+state.String()+s.stderrTail)
		if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
			s.end.Signal = map[syscall.Signal]string{9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM", 6: "SIGABRT"}[status.Signal()]
		} else if s.end.ExitCode = &code; s.lastResult["is_error"] == true {
			s.end.Kind, s.end.Message = "result", "the CLI returned an error result: "+resultText(s.lastResult)
		}
	}
	for id, a := range s.answers {
		delete(s.answers, id)
		close(a.done)
	}
	s.mutex.Unlock()
	s.changed.Broadcast()
}

func resultText(result map[string]any) string {
	if texts, is := result["errors"].([]any); is {
		return strings.Trim(fmt.Sprint(texts), "[]")
	}
	return fmt.Sprint(result["result"])
}

// consume is the program that reads the messages, one after another, unless it is paused.
func (s *session) consume() {
	defer close(s.gone)
	for told := 0; ; {
		s.mutex.Lock()
		for !s.isOver && (s.isStopped || s.isPaused || len(s.queue) == 0) || s.isOver && !s.isStopped && s.isPaused {
			s.changed.Wait()
		}
		if s.isStopped || len(s.queue) == 0 {
			s.mutex.Unlock()
			if s.end != nil {
				s.observe("error", "error", s.end)
			} else {
				s.observe("end", "text", "")
			}
			return
		}
		message := s.queue[0]
		s.queue = s.queue[1:]
		s.mutex.Unlock()
		s.observe("message", "message", message)
		if told++; told == s.breakAfter {
			s.stop(nil)
		}
	}
}

func (s *session) observe(what, name string, value any) {
	emit(map[string]any{"event": "observed", "run": s.run, "what": what, name: value})
}
