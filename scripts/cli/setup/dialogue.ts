/** The questions of `pbx setup`, each with what most would answer. */
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { probe } from '../../../drivers/modem/probe.ts'
import { CommandError, exitCode } from '../client.ts'
import { serialDevices } from '../commands/modem-scan.ts'
import type { Context } from '../context.ts'
import { bold, print, yellow } from '../output.ts'
import { providers, type Provider, type ProviderName } from './providers.ts'
import { Questions } from './questions.ts'
import type { SetupStep } from './step.ts'

export async function ask({ json }: Context, steps: readonly SetupStep[]): Promise<unknown> {
  if (json || !process.stdin.isTTY)
    throw new CommandError('nobody can be asked here', { exit: exitCode.usage, fix: 'pbx setup --answers FILE' })
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const questions = new Questions(terminal)
  try {
    print(bold('The site'))
    const site = await askSite(questions)
    print(bold('\nThe provider'))
    const provider = await askProvider(questions)
    print(bold('\nPhones'))
    const extensions = await askExtensions(questions)
    const lines = await askLines(questions)
    const further: object[] = []
    for (const step of steps) {
      print(bold(`\n${step.heading}`))
      further.push(await step.ask(questions))
    }
    return Object.assign({ site, ...provider, extensions, ...lines }, ...further) as unknown
  } finally {
    terminal.close()
  }
}

async function askSite(questions: Questions) {
  const zone = existsSync('/etc/timezone') ? readFileSync('/etc/timezone', 'utf8').trim() : Intl.DateTimeFormat().resolvedOptions().timeZone
  const name = await questions.text('Name of the site:')
  const country = (await questions.text('Country, two letters:', 'US', /^[a-z]{2}$/i)).toUpperCase()
  const timeZone = await questions.text('Time zone:', zone, /^[\w+/-]+$/)
  const address = await questions.optional('Street and floor, for calls for help:')
  return { name, country, timeZone, ...(address === '' ? {} : { address }) }
}

async function askProvider(questions: Questions) {
  if (!(await questions.yes('Is there a SIP provider?', true))) return {}
  const names = Object.keys(providers) as ProviderName[]
  for (const [at, name] of names.entries()) print(`  ${at + 1}  ${providers[name].title}`)
  const kind = names[Number(await questions.text('Which?', '1', new RegExp(`^[1-${names.length}]$`))) - 1]!
  const template: Provider = providers[kind]
  const server = template.server ?? (await questions.text('Server, as the provider names it:'))
  const account = template.register
    ? { username: await questions.text('Name of the account:'), password: await questions.text('Password:') }
    : {}
  const numbers = (await questions.text('Its numbers, as +15550001000, with blanks between them:', '', /^\+\d+( +\+\d+)*$/)).split(/ +/)
  return { provider: { kind, server, ...account, numbers } }
}

async function askExtensions(questions: Questions) {
  const many = Number(await questions.text('How many phones?', '4', /^[1-9]\d?$/))
  const first = Number(await questions.text('Number of the first:', '101', /^[1-9]\d{1,4}$/))
  const extensions: { number: string; name: string }[] = []
  for (let number = first; number < first + many; number++) {
    extensions.push({
      number: String(number),
      name: await questions.text(`Name of ${number}:`, number === first ? 'Front desk' : `Phone ${number}`),
    })
  }
  return extensions
}

async function askLines(questions: Questions) {
  const devices = serialDevices()
  if (devices.length > 0) print(bold('\nModems'))
  const lines: { device: string; number: string; roles: readonly string[] }[] = []
  for (const device of devices) {
    const { kind, roles, identification, dialTone } = await probe(device)
    if (kind !== 'modem' || roles.length === 0) continue
    print(`  ${device}\n  ${identification.slice(0, 2).join(', ')}${dialTone === 'none' ? yellow(', no dial tone') : ''}`)
    const number = await questions.optional('Number of its line, as +15550001999:')
    if (number !== '') lines.push({ device, number, roles })
  }
  return lines.length === 0 ? {} : { lines }
}
