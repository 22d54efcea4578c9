/** pbx config init: a first configuration that is good as it is. */
import { randomBytes } from 'node:crypto'
import { parseConfig } from '../../../daemon/config/load.ts'
import { writeNew } from '../../../daemon/base/owner.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson } from '../output.ts'

export interface First {
  readonly name: string
  readonly country: string
  readonly timeZone?: string
}

export async function init({ json }: Context, file: string, first: First): Promise<number> {
  const text = firstConfig(first)
  const [fault] = faultsOf(text)
  if (fault !== undefined) throw new CommandError(fault, { exit: exitCode.usage, code: 'usage' })
  if (file === '-') {
    process.stdout.write(text)
    return exitCode.done
  }
  try {
    // It has passwords.
    writeNew(file, text, 0o640)
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw new CommandError(there ? `${file} already exists` : `${file} cannot be written: ${(error as Error).message}`, {
      fix: there ? 'pbx config edit' : '',
    })
  }
  if (json) printJson({ file })
  else print(`${green(`${file} is written`)}: edit it, then pbx config check ${file}`)
  return exitCode.done
}

function faultsOf(text: string): string[] {
  try {
    parseConfig(text, 'pbxd.yaml')
    return []
  } catch (error) {
    return (error as { faults: { text: string }[] }).faults.map((fault) => fault.text)
  }
}

function firstConfig({ name, country, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone }: First): string {
  const password = (): string => randomBytes(12).toString('base64url')
  return `# yaml-language-server: $schema=./pbxd.schema.json
# docs/configuration.md explains every key. After a change: pbx config apply
site:
  name: ${JSON.stringify(name)}
  country: ${JSON.stringify(country.toUpperCase())}
  timeZone: ${JSON.stringify(timeZone)}

# Only this machine can reach this address. With a certificate: listen: 192.0.2.10:8443, tls: { cert: cert.pem, key: key.pem }
http: { listen: 127.0.0.1:8080 }

# Phones register here: write this machine's address in the network of the phones.
sip: { udp: 127.0.0.1:5060 }

# The provider. Write its numbers in quotes, such as "+15550001000".
trunks: []
#  - { id: main, server: sip.provider.example, username: clinic, password: "...", numbers: ["+15550001000"], default: true }

extensions:
  - { number: "101", name: Front desk, password: ${password()} }
  - { number: "102", name: Office, password: ${password()} }

# Where calls from outside go; the first rule that matches decides.
inbound: []
#  - { to: "+15550001000", destination: "101" }

# Outgoing calls: 10 digits and more, through the default trunk.
outbound: []

mailboxes: []
#  - { ext: "101", greeting: "You have reached the front desk. Please leave a message." }
`
}
