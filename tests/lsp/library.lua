-- A session of Neovim in a library: complete, hover, jump, rename, mend. The result of each step goes to a file as JSON.
local root, out = vim.env.PLAIT_ROOT, vim.env.PLAIT_OUT
local patience = tonumber(vim.env.PLAIT_PATIENCE) * 1000
local steps = {}
local function note(name, value) steps[#steps + 1] = { name = name, value = value } end
local function finish()
  local file = io.open(out, "w")
  file:write(vim.fn.json_encode(steps))
  file:close()
  vim.cmd("qa!")
end
local ok, why = pcall(function()
  vim.cmd("edit " .. root .. "/config/_ytt_lib/lib/app.yml")
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = "plait", cmd = vim.split(vim.env.PLAIT_COMMAND, " "), root_dir = root })
  vim.lsp.buf_attach_client(buffer, client)
  local function wait(fits) return vim.wait(patience, fits, 50) end
  local function ask(method, line, column, more)
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = column } }
    for key, value in pairs(more or {}) do params[key] = value end
    local answers = vim.lsp.buf_request_sync(buffer, method, params, patience)
    return answers and answers[client] and answers[client].result
  end
  assert(wait(function()
    local known = vim.lsp.get_client_by_id(client)
    return known ~= nil and known.initialized
  end), "no server")
  local hover
  assert(wait(function()
    hover = ask("textDocument/hover", 3, 22)
    return hover ~= nil and hover ~= vim.NIL
  end), "no hover")
  note("hover", hover.contents.value)
  local labels = {}
  for _, item in ipairs(ask("textDocument/completion", 3, 21).items) do labels[#labels + 1] = item.label end
  note("completion", table.concat(labels, " "))
  note("definition", ask("textDocument/definition", 3, 22)[1].uri)
  local edit = ask("textDocument/rename", 3, 22, { newName = "title" })
  local count = 0
  for _ in pairs(edit.changes) do count = count + 1 end
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  note("renamed", count .. ": " .. vim.api.nvim_buf_get_lines(buffer, 3, 4, false)[1])
  vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { "#@yaml/text-templated-stirngs" })
  assert(wait(function() return #vim.diagnostic.get(buffer) > 0 end), "no diagnostic")
  local range = { start = { line = 6, character = 0 }, ["end"] = { line = 6, character = 1 } }
  local titles = {}
  for _, action in ipairs(ask("textDocument/codeAction", 6, 0, { range = range, context = { diagnostics = {} } })) do
    titles[#titles + 1] = action.title
  end
  note("actions", table.concat(titles, "; "))
end)
note("ok", ok and "yes" or tostring(why))
finish()
