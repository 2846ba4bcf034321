package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Options that become flags, under the name the flag has. An option that is in no table is refused.
var flags = map[string]string{
	"model": "model", "fallbackModel": "fallback-model", "maxTurns": "max-turns", "maxBudgetUsd": "max-budget-usd",
	"effort": "effort", "agent": "agent", "permissionMode": "permission-mode", "permissionPromptToolName": "permission-prompt-tool",
	"resume": "resume", "sessionId": "session-id", "resumeSessionAt": "resume-session-at", "continue": "continue",
	"forkSession": "fork-session", "strictMcpConfig": "strict-mcp-config", "includePartialMessages": "include-partial-messages",
	"includeHookEvents": "include-hook-events", "allowDangerouslySkipPermissions": "allow-dangerously-skip-permissions",
	"allowedTools": "allowedTools", "disallowedTools": "disallowedTools", "betas": "betas", "settingSources": "setting-sources",
	"additionalDirectories": "add-dir", "settings": "settings",
}

// Fields of initialize by the same name, and what other code reads.
var elsewhere = map[string]bool{
	"agents": true, "title": true, "promptSuggestions": true, "planModeInstructions": true,
	"env": false, "cwd": false, "stderr": false, "systemPrompt": false, "extraArgs": false,
}

// flag writes one option: `--name` for true, `--name=value` else, since the CLI takes a value with a dash for a flag.
func flag(name string, v any) (args []string) {
	switch v := v.(type) {
	case bool:
		if v {
			args = append(args, "--"+name)
		}
	case []any:
		texts := []string{}
		for _, item := range v {
			texts = append(texts, fmt.Sprint(item))
			if name == "add-dir" {
				args = append(args, fmt.Sprintf("--add-dir=%v", item))
			}
		}
		if name != "add-dir" && (len(v) > 0 || name == "setting-sources") {
			args = append(args, "--"+name+"="+strings.Join(texts, ","))
		}
	case map[string]any:
		text, _ := json.Marshal(v)
		args = append(args, "--"+name, string(text))
	default:
		args = append(args, fmt.Sprintf("--%s=%v", name, v))
	}
	return args
}

// plan makes arguments, environment and the initialize request of a start command.
func plan(c command) (args, env []string, initialize map[string]any, err *failure) {
	args = []string{"--output-format", "stream-json", "--verbose", "--input-format", "stream-json"}
	initialize = map[string]any{"subtype": "initialize", "systemPrompt": []string{""}}
	for name, v := range c.Options {
		isField, known := elsewhere[name]
		switch {
		case v == nil:
		case flags[name] != "":
			args = append(args, flag(flags[name], v)...)
		case isField:
			initialize[name] = v
		case !known:
			return nil, nil, nil, fail("unsupported", "no option "+name)
		}
	}
	switch prompt := c.Options["systemPrompt"].(type) {
	case string:
		initialize["systemPrompt"] = []string{prompt}
	case []any:
		initialize["systemPrompt"] = prompt
	case map[string]any:
		delete(initialize, "systemPrompt")
		if prompt["append"] != nil {
			initialize["appendSystemPrompt"] = prompt["append"]
		}
	}
	more, _ := c.Options["extraArgs"].(map[string]any)
	for name, v := range more {
		if v == nil {
			v = true
		}
		args = append(args, flag(name, v)...)
	}
	return args, environment(c.Options["env"]), initialize, nil
}

// environment is the option's if there is one, else ours, with what the CLI wants to know of its host.
func environment(option any) (env []string) {
	all := map[string]string{"PATH": os.Getenv("PATH"), "CLAUDE_CODE_ENTRYPOINT": "sdk-go", "CLAUDE_AGENT_SDK_VERSION": "go-example/1"}
	if given, is := option.(map[string]any); is {
		for name, v := range given {
			all[name] = fmt.Sprint(v)
		}
	} else {
		for _, pair := range os.Environ() {
			name, v, _ := strings.Cut(pair, "=")
			all[name] = v
		}
	}
	delete(all, "NODE_OPTIONS")
	for name, v := range all {
		env = append(env, name+"="+v)
	}
	return env
}
