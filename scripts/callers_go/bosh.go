package PACKAGE

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// What an ops file adds to the error of an operation, and a flag to the error of its value.
var addedText = regexp.MustCompile(`^(?:Error '[^']*'|invalid argument for flag [^\n]*?\)): `)

// runBosh returns the output of `bosh`, or the text on its standard error as the error that a function returns.
// environment: nil for that of the process, which has HOME.
func runBosh(environment []string, arguments ...string) ([]byte, error) {
	command := exec.Command("bosh", arguments...)
	if environment != nil {
		// The program reads its configuration below HOME.
		command.Env = append([]string{"HOME=" + os.Getenv("HOME")}, environment...)
	}
	var output, message bytes.Buffer
	command.Stdout, command.Stderr = &output, &message
	if err := command.Run(); err != nil {
		if _, ended := err.(*exec.ExitError); !ended {
			panic(err)
		}
		return nil, errors.New(unfolded(message.String()))
	}
	return output.Bytes(), nil
}

// unfolded returns the text of an error that `bosh` printed as a list of indented lines.
func unfolded(message string) string {
	text := ""
	for index, line := range strings.Split(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(message), "Exit code 1")), "\n") {
		if index > 0 {
			text += map[bool]string{true: " ", false: "\n"}[strings.HasSuffix(text, ":")]
		}
		text += strings.TrimPrefix(strings.TrimLeft(line, " "), "- ")
	}
	return addedText.ReplaceAllString(text, "")
}
