package integration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// replacedCommand is a command line of `bosh`, run as a process.
type replacedCommand struct{ arguments []string }

func createReplacedCommand(_ interface{}, arguments []string) replacedCommand {
	return replacedCommand{arguments}
}

func (c replacedCommand) Execute() error {
	output, err := runBosh(nil, c.arguments...)
	if err == nil {
		ui.Blocks = append(ui.Blocks, string(output))
	}
	return err
}

func createAndExecReplacedCommand(_ interface{}, arguments []string) {
	GinkgoHelper()
	Expect(replacedCommand{arguments}.Execute()).ToNot(HaveOccurred())
}
