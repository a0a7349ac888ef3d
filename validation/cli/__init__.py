"""The command line `kernelspec`: one module a command, put together in `validation.cli.main`."""
