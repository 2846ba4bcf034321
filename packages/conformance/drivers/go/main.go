// A conformance driver without an SDK behind it: the smallest host that speaks levels L0 to L3.
//
// main.go is the driver protocol (lines of JSON on stdin and stdout), session.go one running CLI, launch.go and
// methods.go are tables. A port keeps main.go and puts its own SDK in place of the rest.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// command is one line from the runner.
type command struct {
	ID                         json.RawMessage
	Command, Run, Mode, Method string
	Prompt                     *string
	Stream                     bool
	Options, Fields            map[string]any
	CLI, Cwd                   string
	BreakAfter                 int
	Content                    any
	Args                       []any
}

// failure is an error in the form that every driver gives; the kinds are those of the driver protocol.
type failure struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	Class     string `json:"class"`
	ExitCode  *int   `json:"exit_code,omitempty"`
	Signal    string `json:"signal,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
}

func fail(kind, message string) *failure {
	return &failure{Kind: kind, Message: message, Class: "error"}
}

var stdout sync.Mutex

// emit writes one line to the runner. Several goroutines do; their lines must not mix.
func emit(line map[string]any) {
	text, _ := json.Marshal(line)
	stdout.Lock()
	defer stdout.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

func (c command) reply(result any, err *failure) {
	switch {
	case err == nil:
		emit(map[string]any{"id": c.ID, "result": result})
	case err.Kind == "unsupported":
		emit(map[string]any{"id": c.ID, "unsupported": err.Message})
	default:
		emit(map[string]any{"id": c.ID, "error": err})
	}
}

func main() {
	features := []string{"query", "query-stream", "client", "abort", "break", "pause", "stderr",
		"query:native", "query:methods", "query:close", "messages:frames", "environment:replaced", "system-prompt:initialize",
		"prompt:blocks", "initialize", "initialize:pipelined", "environment:version", "messages:ids", "messages:figures",
		"answers:shown", "error:kinds"}
	for name := range methods {
		features = append(features, "call:"+name)
	}
	emit(map[string]any{
		"event": "hello", "protocol": 1, "driver": "go", "sdk": "none", "version": "1.0.0", "language": "go", "features": features,
	})
	runs := map[string]*session{}
	defer finish(runs)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		c := command{Run: "main"}
		if err := json.Unmarshal(line, &c); err != nil {
			fmt.Fprintln(os.Stderr, "not a command:", err)
			continue
		}
		handle(runs, c)
	}
}

// handle does at once what must keep its order, and waits in a goroutine: the next command may be what ends the wait.
func handle(runs map[string]*session, c command) {
	s := runs[c.Run]
	if s == nil && c.Command != "start" && c.Command != "finish" {
		c.reply(nil, fail("other", "there is no run "+c.Run))
		return
	}
	switch c.Command {
	case "start":
		s, err := start(c)
		if err != nil && err.Kind != "unsupported" && c.Mode == "query" {
			// As an SDK whose query() returns at once: the loop says what is wrong.
			c.reply(nil, nil)
			emit(map[string]any{"event": "observed", "run": c.Run, "what": "error", "error": err})
		} else if err != nil || c.Mode == "query" {
			c.reply(nil, err)
		} else {
			go func() {
				_, err := s.initialize.wait(s)
				c.reply(nil, err)
			}()
		}
		if err == nil {
			runs[c.Run] = s
		}
	case "finish":
		finish(runs)
		c.reply(nil, nil)
	case "send":
		c.reply(nil, s.write(userFrame(c.Content, c.Fields)))
	case "end_input":
		s.endPrompt()
		c.reply(nil, nil)
	case "call":
		m, known := methods[c.Method]
		if !known {
			c.reply(nil, fail("unsupported", "no method "+c.Method))
			return
		}
		answer := s.initialize
		if m.subtype != "" {
			answer = s.request(m.payload(c.Args))
		}
		go func() {
			response, err := answer.wait(s)
			c.reply(m.result(response), err)
		}()
	case "pause", "resume":
		s.pause(c.Command == "pause")
		c.reply(nil, nil)
	case "abort":
		s.stop(fail("aborted", "the run was aborted"))
		c.reply(nil, nil)
	case "break", "close":
		s.stop(nil)
		go func() {
			<-s.gone
			c.reply(nil, nil)
		}()
	default:
		c.reply(nil, fail("unsupported", "no command "+c.Command))
	}
}

func finish(runs map[string]*session) {
	for name, s := range runs {
		s.stop(nil)
		<-s.gone
		delete(runs, name)
	}
}
