@echo off
rem For Windows, where a script without an extension does not run.
if exist "%~dp0python.exe" ("%~dp0python.exe" -P -m plait %*) else ("%~dp0..\python.exe" -P -m plait %*)
