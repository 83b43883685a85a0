"""Renders templates as Home Assistant does, as far as the package uses it: a line {template, variables} in, a line of text out."""

import json
import sys

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
environment.filters["to_json"] = json.dumps
for line in sys.stdin:
    job = json.loads(line)
    text = environment.from_string(job["template"]).render(job["variables"])
    print(json.dumps(text.strip()), flush=True)
