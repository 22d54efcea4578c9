/** The section `backup` of the configuration. */
import { Type } from '@sinclair/typebox'
import { live, strict } from './forms.ts'

export const BackupSchema = live(
  strict(
    {
      recoveryKey: Type.Optional(
        Type.String({
          pattern: '^age1[0-9a-z]{58}$',
          description:
            'The public half of the recovery key from `pbx backup key`. Backups are encrypted for it; without it there are none.',
        }),
      ),
      dir: Type.String({ default: '/var/backups/pbxd', minLength: 1, description: 'The folder for backups.' }),
      keep: Type.Integer({
        default: 14,
        minimum: 1,
        maximum: 1000,
        description: 'How many backups are kept, here and at the server of to.',
      }),
      to: Type.Optional(
        Type.String({
          pattern: '^sftp://([A-Za-z0-9_.-]+@)?[A-Za-z0-9.-]+(:\\d{1,5})?/[A-Za-z0-9_./-]*$',
          description:
            'A server that gets a copy of each backup by SFTP: sftp://USER@HOST:PORT/FOLDER. It needs the SSH key of root and a host that root knows.',
        }),
      ),
      sshConfig: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'An ssh_config file for to, with IdentityFile and UserKnownHostsFile. Default: root’s ~/.ssh.',
        }),
      ),
    },
    'Backups.',
  ),
)
