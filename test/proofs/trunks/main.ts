/**
 * What the box does with the far ends of the world, in real calls: a matrix of features and peers, and a race against Asterisk.
 *
 *   scripts/run test/proofs/trunks/main.ts matrix [--only WORD,...] [--at-once N] [--out FILE] [--log FILE] [--json]
 *   scripts/run test/proofs/trunks/main.ts bench [--calls N,...] [--rates N,...] [--against pbxd,dialplan,ari,bare] [--json]
 *
 * As root it runs in a network of its own, where every address is free and IPv6 is there. Ends with status 1 when a cell is bad.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { features } from './cell.ts'

const usage = `usage: scripts/run test/proofs/trunks/main.ts matrix [--only WORD,...] [--at-once N] [--out FILE] [--log FILE] [--json]
         every feature with every peer: sipp, baresip, Kamailio (apt-get install kamailio kamailio-tls-modules) and Asterisk
         (test/proofs/fax/asterisk/install.sh); what cannot be had here is left out with the reason.
         --only: features, peers, or feature/peer: ${Object.keys(features).join(', ')}
         --out: the table as Markdown into a file; --log: what Asterisk wrote down, with all messages
       scripts/run test/proofs/trunks/main.ts bench [--calls 50,100,200] [--rates 100,...] [--against pbxd,dialplan,ari,bare] [--seconds N] [--json]
         the same load on pbxd and on Asterisk, in turns: processor and memory of a call, evenness of RTP, calls a second
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    'at-once': { type: 'string' },
    out: { type: 'string' },
    log: { type: 'string' },
    json: { type: 'boolean', default: false },
    calls: { type: 'string' },
    rates: { type: 'string' },
    against: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const [command] = positionals
if (values.help || positionals.length !== 1 || (command !== 'matrix' && command !== 'bench')) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 2)
}

const inside = 'PBXD_TRUNKS_NETWORK'
if (process.getuid?.() === 0 && process.env[inside] === undefined) {
  const words = 'ip link set lo up; ip addr add fd00::5060/128 dev lo; exec "$@"'
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { status } = spawnSync('unshare', ['--net', 'sh', '-c', words, 'sh', ...again], {
    stdio: 'inherit',
    env: { ...process.env, [inside]: '1' },
  })
  process.exit(status ?? 1)
}
if (command === 'matrix') process.exit(await (await import('./matrix.ts')).matrix(values))
process.exit(await (await import('./bench/bench.ts')).bench(values))
