-- A session of Neovim: open a file with a mistake, ask for the fixes at its line, apply the first, and wait until nothing is wrong.
local root, out = vim.env.PLAIT_ROOT, vim.env.PLAIT_OUT
local patience = tonumber(vim.env.PLAIT_PATIENCE) * 1000
local steps = {}
local function note(name, value) steps[#steps + 1] = { name = name, value = value } end
local ok, why = pcall(function()
  vim.cmd("edit " .. root .. "/ops.yml")
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = "plait", cmd = vim.split(vim.env.PLAIT_COMMAND, " "), root_dir = root })
  vim.lsp.buf_attach_client(buffer, client)
  local function wait(fits) return vim.wait(patience, fits, 50) end
  assert(wait(function() return #vim.diagnostic.get(buffer) > 0 end), "no diagnostic")
  local found = vim.diagnostic.get(buffer)[1]
  note("line", found.lnum)
  note("message", found.message)
  local place = { line = found.lnum, character = found.col }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = place, ["end"] = place },
    context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(buffer, found.lnum) },
  }, patience)
  local action = answers[client].result[1]
  note("title", action.title)
  vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
  note("text", table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"))
  note("gone", wait(function() return #vim.diagnostic.get(buffer) == 0 end))
end)
note("ok", ok and "yes" or tostring(why))
local file = io.open(out, "w")
file:write(vim.fn.json_encode(steps))
file:close()
vim.cmd("qa!")
