;; A session of Emacs with Eglot: open a file, see what is wrong, ask, jump, rename. What came of each step goes to a
;; file as JSON. The settings are those of the page about editors. -*- lexical-binding: t -*-
(require 'json)
(require 'package)
(package-initialize)
(require 'eglot)
(require 'flymake)
(require 'xref)

(defvar steps nil)
(defun note (name value) (push (cons name value) steps))
(defvar patience (string-to-number (getenv "PLAIT_PATIENCE")))

(defun wait-for (what condition)
  "Wait until CONDITION returns a value, and return it. WHAT: its name in the error."
  (let ((end (+ (float-time) patience)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end) (error "no %s" what))
      (accept-process-output nil 0.05))
    value))

(defun go-to (text)
  "Move to the place of the | in TEXT."
  (goto-char (point-min))
  (search-forward (replace-regexp-in-string "|" "" text))
  (backward-char (- (length text) 1 (string-match "|" text))))

(defun diagnostics ()
  "The texts of the diagnostics of the buffer."
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(condition-case why
    (progn
      (load (getenv "PLAIT_SETTINGS") nil t)
      (let ((eglot-sync-connect patience) (eglot-connect-timeout patience))
        (find-file (expand-file-name "config/app.yml" (getenv "PLAIT_ROOT")))
        (note "mode" (symbol-name major-mode))
        ;; Eglot connects after the first command; without a terminal there is none.
        (note "hooked" (if (memq 'eglot-ensure yaml-mode-hook) "yes" "no"))
        (apply #'eglot (eglot--guess-contact)))
      (note "diagnostic" (car (wait-for "diagnostic" #'diagnostics)))
      (go-to "data.values.repl|icas")
      (note "hover"
            (plist-get
             (plist-get
              (wait-for "hover"
                        (lambda ()
                          (jsonrpc-request (eglot-current-server) :textDocument/hover
                                           (eglot--TextDocumentPositionParams) :timeout patience)))
              :contents)
             :value))
      (go-to "data.values.r|eplicas")
      (let ((found (eglot-completion-at-point)))
        (note "completion" (vconcat (mapcar #'substring-no-properties (all-completions "" (nth 2 found))))))
      (go-to "data.values.repl|icas")
      (let ((item (car (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))))
        (note "definition" (file-name-nondirectory (xref-location-group (xref-item-location item)))))
      (go-to "#@ def na|me(")
      (eglot-rename "called")
      (goto-char (point-min))
      (note "renamed" (if (search-forward "name: #@ called(data.values.app.name)" nil t) "yes" (buffer-string)))
      (goto-char (point-min))
      (insert "#! a line with spaces at its end   \n")
      (eglot-format-buffer)
      (goto-char (point-min))
      (note "formatted" (buffer-substring (point) (line-end-position)))
      (set-buffer-modified-p nil)
      (eglot-shutdown (eglot-current-server))
      (note "ok" "yes"))
  (error (note "ok" (error-message-string why))))
(with-temp-file (getenv "PLAIT_OUT") (insert (json-encode (nreverse steps))))
