/** `pbx certificate`: the certificate of the web port, and the authority of the box that signs it. */
import type { Command } from 'commander'
import { finish, group, late } from '../command.ts'

export function certificateCommand(): Command {
  const certificate = group('certificate', 'the certificate of the web port and of phones over TLS')
  certificate.addCommand(
    finish(
      group('show', 'show whose it is, until when, and the fingerprint that people compare (same as "pbx certificate")'),
      late(async () => (await import('../certificate.ts')).show),
      ['pbx certificate'],
    ),
    { isDefault: true },
  )
  certificate.addCommand(
    finish(
      group('renew', 'renew it if it ends within 30 days or lacks an address; a timer does this every day'),
      late(async () => (await import('../certificate.ts')).renew),
      ['sudo pbx certificate renew'],
    ),
  )
  certificate.addCommand(
    finish(
      group('make', 'make a new authority and a certificate by it; everybody who trusted the previous one must trust the new one'),
      late(async () => (await import('../certificate.ts')).make),
      ['sudo pbx certificate make'],
    ),
  )
  return certificate
}
