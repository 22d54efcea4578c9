/** The walk of docs/scale.md: starts a fleet, an application that answers its calls, and a shell in which it can be looked at. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../daemon/base/root.ts'
import { application, clear, edge, Fleet, saidIn, token } from './fleet.ts'

/** Commands of the walk, such as `box 001 status`, which is pbx at a box. */
function commands(dir: string): string {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  const script = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const pbx = join(root, 'scripts/pbx')
  script('box', `id=$1; shift\nPBXD_CONFIG=${dir}/$id/pbxd.yaml PBXD_SOCKET=${dir}/$id/run/pbxd.sock exec ${pbx} "$@"`)
  script('api', `path=$1; shift\nexec curl -sS -i -H "Authorization: Bearer ${token}" "$@" "http://${edge}$path"`)
  script('cluster', `exec ${pbx} cluster "$1" ${dir}/cluster.yaml --token ${dir}/token`)
  script('cable', 'exec ip link set "to-$1" "$2"')
  script('kill-box', 'ip netns pids "$1" | xargs kill -9')
  script(
    'start-box',
    `PBXD_ROOT=${root} ip netns exec "$1" ${process.execPath} ${root}/.cache/program/daemon/main.js --config ${dir}/$1/pbxd.yaml >> ${dir}/$1/log 2>&1 &`,
  )
  const person = `${process.execPath} ${root}/scripts/cluster/person.ts`
  script('call', `exec ${person} call`)
  script('text', `exec ${person} text "$*"`)
  writeFileSync(join(dir, 'token'), token)
  return bin
}

const dir = mkdtempSync(join(tmpdir(), 'pbxd-try-'))
function end(code: number): never {
  clear(dir)
  process.exit(code)
}
// While the shell is there, it takes Ctrl-C for what it runs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130))
process.stderr.write('Starting three boxes, Kamailio and HAProxy ...\n')
const fleet = await Fleet.open(dir).catch((error: unknown) => {
  process.stderr.write(`The fleet did not start: ${(error as Error).message}\n${saidIn(dir)}\n`)
  return end(1)
})
createServer((_, answer) => {
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify([{ say: { text: 'Good morning.' } }, { gather: { timeout: 30 } }]))
}).listen(9000, application)
const bin = commands(dir)
process.stderr.write(`
The fleet is there: the edge at ${edge}, boxes ${fleet.boxes.map(({ id, address }) => `${id} (${address})`).join(', ')}.
What the machines of the edge read is below ${dir}/e1 and ${dir}/e2, their description is ${fleet.file}.

  cluster status                  what each box says
  box 001 status                  pbx at a box
  call                            somebody calls: the application answers, and the box that did is named
  text Hello                      a text comes in; api /api/inbox/sms shows those of all boxes
  api /api/voice/calls            a request through the edge; X-Box names the box that answered
  box 002 drain                   no new calls at 002; cluster status shows it; box 002 drain --off
  cable e1 down                   the cable of a machine of the edge is pulled; cable e1 up
  kill-box 003; cluster status    a machine dies; start-box 003 starts it again
  exit                            ends all of it

`)
const shell = spawn(process.env.SHELL ?? '/bin/sh', { stdio: 'inherit', env: { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}` } })
shell.once('exit', (code) => end(code ?? 0))
