/** Phones that fetch their settings. */
import type { Core, Ground } from '../core.ts'
import { phoneRoutes } from './routes.ts'
import type { Part } from '../part.ts'
import { PhoneDesk, type PhoneDeskOptions } from './desk.ts'

export interface ProvisioningPartOptions extends Pick<PhoneDeskOptions, 'httpAddress'> {
  readonly driver: { bound(): ReturnType<PhoneDeskOptions['sip']> }
}

export function provisioningPart(
  { config, store, clock, log, trail }: Ground & Pick<Core, 'trail'>,
  { driver, httpAddress }: ProvisioningPartOptions,
): Part {
  const desk = new PhoneDesk({
    ...{ config, store, clock, log },
    httpAddress,
    sip: () => driver.bound(),
    provisioned: ({ extension, address, id }) =>
      trail.audit.record({ actor: `phone:${extension}`, address, deed: 'phone.provision', object: id }),
  })
  return { name: 'provisioning', routes: phoneRoutes(desk) }
}
