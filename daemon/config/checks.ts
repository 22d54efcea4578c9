/** Written by npm run generate: what the files of checks/ hold. */
import { checks as box } from './checks/box.ts'
import { checks as collect } from './checks/collect.ts'
import { checks as hours } from './checks/hours.ts'
import { checks as network } from './checks/network.ts'
import { checks as notify } from './checks/notify.ts'
import { checks as numbers } from './checks/numbers.ts'
import { checks as outside } from './checks/outside.ts'
import { checks as pbx } from './checks/pbx.ts'
import { checks as reminders } from './checks/reminders.ts'
import { checks as sites } from './checks/sites.ts'
import { checks as sms } from './checks/sms.ts'
import { checks as sound } from './checks/sound.ts'
import { checks as trust } from './checks/trust.ts'
import type { SectionCheck } from './checks/context.ts'

export const checks: readonly SectionCheck[] = [
  ...box,
  ...collect,
  ...hours,
  ...network,
  ...notify,
  ...numbers,
  ...outside,
  ...pbx,
  ...reminders,
  ...sites,
  ...sms,
  ...sound,
  ...trust,
]
