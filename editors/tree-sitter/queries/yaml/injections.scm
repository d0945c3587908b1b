;; extends

; Code of templates in comments: `#@ expression`, `#@ statement` and annotations such as `#@overlay/match by="name"`.
; The text after `#@` is Starlark; a comment that starts with `#!` stays a comment.
; "[@]" is one character in the regular expressions of Vim and of other editors.
((comment) @injection.content
  (#match? @injection.content "^#[@]([ ]|[a-z]+/)")
  (#offset! @injection.content 0 2 0 0)
  (#set! injection.language "starlark"))
