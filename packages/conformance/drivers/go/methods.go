package main

// method is one control request behind the name that the official SDK gives it.
type method struct {
	subtype string   // "": no request, the answer to initialize
	names   []string // of the arguments, in the payload
	field   string   // of the response; "": all of it; "-": nothing
}

var methods = map[string]method{
	"interrupt":            {"interrupt", nil, ""},
	"setPermissionMode":    {"set_permission_mode", []string{"mode"}, "-"},
	"setModel":             {"set_model", []string{"model"}, "-"},
	"setMaxThinkingTokens": {"set_max_thinking_tokens", []string{"max_thinking_tokens"}, "-"},
	"mcpServerStatus":      {"mcp_status", nil, "mcpServers"},
	"reconnectMcpServer":   {"mcp_reconnect", []string{"serverName"}, "-"},
	"toggleMcpServer":      {"mcp_toggle", []string{"serverName", "enabled"}, "-"},
	"stopTask":             {"stop_task", []string{"task_id"}, "-"},
	"rewindFiles":          {"rewind_files", []string{"user_message_id"}, ""},
	"getContextUsage":      {"get_context_usage", nil, ""},
	"applyFlagSettings":    {"apply_flag_settings", []string{"settings"}, "-"},
	"initializationResult": {"", nil, ""},
	"supportedCommands":    {"", nil, "commands"},
	"supportedModels":      {"", nil, "models"},
	"supportedAgents":      {"", nil, "agents"},
	"accountInfo":          {"", nil, "account"},
}

func (m method) payload(args []any) map[string]any {
	payload := map[string]any{"subtype": m.subtype}
	for i, name := range m.names {
		if i < len(args) {
			payload[name] = args[i]
		}
	}
	if m.subtype == "rewind_files" && len(args) > 1 {
		options, _ := args[1].(map[string]any)
		payload["dry_run"] = options["dryRun"]
	}
	return payload
}

func (m method) result(response any) any {
	if m.field == "-" {
		return nil
	}
	if fields, is := response.(map[string]any); is && m.field != "" {
		return fields[m.field]
	}
	return response
}
