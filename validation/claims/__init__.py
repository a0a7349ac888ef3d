"""The claims, one small module each; importing a module enters its claims into the register."""
