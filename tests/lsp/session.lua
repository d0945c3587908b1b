-- A session of Neovim: open a file, see what is wrong, ask, jump, rename. What came of each step goes to a file as JSON.
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
  vim.cmd("edit " .. root .. "/config/app.yml")
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = "plait", cmd = vim.split(vim.env.PLAIT_COMMAND, " "), root_dir = root })
  vim.lsp.buf_attach_client(buffer, client)
  local function wait(fits) return vim.wait(patience, fits, 50) end
  assert(wait(function() return #vim.diagnostic.get(buffer) > 0 end), "no diagnostic")
  note("diagnostic", vim.diagnostic.get(buffer)[1].message)
  local function ask(method, line, column, more)
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = column } }
    for key, value in pairs(more or {}) do params[key] = value end
    local answers = vim.lsp.buf_request_sync(buffer, method, params, patience)
    return answers and answers[client] and answers[client].result
  end
  local hover
  assert(wait(function()
    hover = ask("textDocument/hover", 12, 30)
    return hover ~= nil and hover ~= vim.NIL
  end), "no hover")
  note("hover", hover.contents.value)
  note("completion", #ask("textDocument/completion", 12, 28).items)
  note("definition", ask("textDocument/definition", 12, 30)[1].uri)
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", 4, 8, { newName = "called" }), "utf-16")
  note("renamed", vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1] .. "|" .. vim.api.nvim_buf_get_lines(buffer, 10, 11, false)[1])
  vim.api.nvim_buf_set_lines(buffer, 7, 7, false, { "#! a line with spaces at its end   " })
  vim.lsp.buf.formatting_sync(nil, patience)
  note("formatted", vim.api.nvim_buf_get_lines(buffer, 7, 8, false)[1])
end)
note("ok", ok and "yes" or tostring(why))
finish()
