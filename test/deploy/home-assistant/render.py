"""Renders templates like Home Assistant: a line {template, variables} in, a line of text out."""

import json
import sys
from datetime import datetime, timezone

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment


def as_timestamp(value, default=None):
    try:
        return (value if isinstance(value, datetime) else datetime.fromisoformat(value)).timestamp()
    except ValueError:
        return default


environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
environment.filters["to_json"] = json.dumps
environment.globals.update(as_timestamp=as_timestamp, now=lambda: datetime.now(timezone.utc))
for line in sys.stdin:
    job = json.loads(line)
    text = environment.from_string(job["template"]).render(job["variables"])
    print(json.dumps(text.strip()), flush=True)
