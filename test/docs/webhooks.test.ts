/** The programs of docs/webhooks.md that verify a signature, each in its language where this machine has it. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sign } from '../../daemon/base/signing.ts'
import { root } from '../harness/daemon.ts'

const run = promisify(execFile)
const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8')

interface Case {
  readonly name: string
  readonly secret: string
  readonly timestamp: string
  readonly signature: string
  /** Base64. */
  readonly body: string
  readonly genuine: boolean
}

function cases(): Case[] {
  const secret = 'whsec_example'
  const body = Buffer.from('{"event":"gather.completed","callerName":"Zoë"}')
  const now = Math.floor(Date.now() / 1000)
  const good = { secret, timestamp: String(now), signature: sign(secret, now, body), body: body.toString('base64'), genuine: false }
  return [
    { ...good, name: 'as it was sent', genuine: true },
    { ...good, name: 'an empty body', signature: sign(secret, now, ''), body: '', genuine: true },
    { ...good, name: 'another secret', secret: 'whsec_other' },
    { ...good, name: 'another body', body: Buffer.from(`${body.toString()} `).toString('base64') },
    { ...good, name: 'another time', timestamp: String(now - 1) },
    { ...good, name: 'too old', timestamp: String(now - 400), signature: sign(secret, now - 400, body) },
    { ...good, name: 'from the future', timestamp: String(now + 400), signature: sign(secret, now + 400, body) },
    { ...good, name: 'no signature', signature: '' },
    { ...good, name: 'a signature cut short', signature: good.signature.slice(0, -2) },
    { ...good, name: 'a signature of other characters', signature: 'sha256=ü' },
    { ...good, name: 'no time', timestamp: '' },
    { ...good, name: 'a time that is none', timestamp: 'now', signature: good.signature },
  ]
}

/** What is run: the program of the page, next to a file that calls it for each case and prints true or false a line. */
interface Language {
  readonly name: string
  /** Says its version, or is not there. */
  readonly needs: readonly [string, ...string[]]
  readonly file: string
  readonly others: Readonly<Record<string, string>>
  readonly command: readonly [string, ...string[]]
}

const languages: readonly Language[] = [
  {
    name: 'js',
    needs: [process.execPath, '--version'],
    file: 'verify.mjs',
    others: {
      'main.mjs': `import { readFileSync } from 'node:fs'
import { genuine } from './verify.mjs'
for (const c of JSON.parse(readFileSync('cases.json', 'utf8')))
  console.log(genuine(c.secret, c.timestamp, c.signature, Buffer.from(c.body, 'base64')))
`,
    },
    command: [process.execPath, 'main.mjs'],
  },
  {
    name: 'python',
    needs: ['python3', '--version'],
    file: 'verify.py',
    others: {
      'main.py': `import base64, json
from verify import genuine
for c in json.load(open("cases.json")):
    print(str(genuine(c["secret"], c["timestamp"], c["signature"], base64.b64decode(c["body"]))).lower())
`,
    },
    command: ['python3', 'main.py'],
  },
  {
    name: 'php',
    needs: ['php', '--version'],
    file: 'verify.php',
    others: {
      'main.php': `<?php
require 'verify.php';
foreach (json_decode(file_get_contents('cases.json'), true) as $c)
    echo genuine($c['secret'], $c['timestamp'], $c['signature'], base64_decode($c['body'])) ? "true\\n" : "false\\n";
`,
    },
    command: ['php', 'main.php'],
  },
  {
    name: 'csharp',
    needs: ['dotnet', '--version'],
    file: 'Webhook.cs',
    others: {
      'verify.csproj': `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework>
<RollForward>LatestMajor</RollForward></PropertyGroup></Project>`,
      'Program.cs': `using System; using System.IO; using System.Text.Json;
foreach (var c in JsonDocument.Parse(File.ReadAllText("cases.json")).RootElement.EnumerateArray())
    Console.WriteLine(Webhook.Genuine(c.GetProperty("secret").GetString(), c.GetProperty("timestamp").GetString(),
        c.GetProperty("signature").GetString(), Convert.FromBase64String(c.GetProperty("body").GetString())) ? "true" : "false");
`,
    },
    command: ['dotnet', 'run'],
  },
  {
    name: 'go',
    needs: ['go', 'version'],
    file: 'verify.go',
    others: {
      'go.mod': 'module verify\n\ngo 1.19\n',
      'main.go': `package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var cases []struct{ Secret, Timestamp, Signature, Body string }
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	for _, c := range cases {
		body, _ := base64.StdEncoding.DecodeString(c.Body)
		fmt.Println(Genuine(c.Secret, c.Timestamp, c.Signature, body))
	}
}
`,
    },
    command: ['go', 'run', '.'],
  },
]

function isHere([program, ...words]: readonly [string, ...string[]]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

// Go compiles the hundred packages of its library into it; it is one for all runs of this machine.
const goCache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'go-build')

for (const { name, needs, file, others, command } of languages) {
  const skip = isHere(needs) ? false : `${needs[0]} is not on this machine`
  t.test(`${name}: takes what is genuine and nothing else`, { skip }, async (t) => {
    const [, program] = new RegExp(`^\`\`\`${name}\\n([^]*?)^\`\`\`$`, 'm').exec(page)!
    const dir = mkdtempSync(join(tmpdir(), 'pbx-verify-'))
    t.teardown(() => rmSync(dir, { recursive: true, force: true }))
    const tried = cases()
    for (const [other, text] of Object.entries({ ...others, [file]: program!, 'cases.json': JSON.stringify(tried) }))
      writeFileSync(join(dir, other), text)
    const env = { ...process.env, GOCACHE: goCache, GOFLAGS: '-mod=mod', HOME: dir, DOTNET_CLI_TELEMETRY_OPTOUT: '1' }
    const [first, ...rest] = command
    const { stdout } = await run(first, rest, { cwd: dir, env: name === 'go' || name === 'csharp' ? env : process.env })
    t.same(
      stdout.trim().split('\n'),
      tried.map(({ genuine }) => String(genuine)),
      tried.map((each) => each.name).join(', '),
    )
  })
}

t.test('the request that the page shows is signed as it says', async (t) => {
  const [, timestamp = ''] = /X-Service-Timestamp: (\d+)/.exec(page) ?? []
  const [, signature] = /X-Service-Signature: (\S+)/.exec(page) ?? []
  t.equal(sign('whsec_example', Number(timestamp), '{"event":"fax.sent"}'), signature)
})
