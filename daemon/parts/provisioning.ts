/** Phones that fetch their settings. */
import type { Core } from '../core.ts'
import { phoneRoutes } from '../provisioning/routes.ts'
import type { Part } from '../part.ts'
import { PhoneDesk, type PhoneDeskOptions } from '../provisioning/desk.ts'

export interface ProvisioningPartOptions extends Pick<PhoneDeskOptions, 'httpAddress'> {
  readonly driver: { bound(): ReturnType<PhoneDeskOptions['sip']> }
}

export function provisioningPart(core: Core, { driver, httpAddress }: ProvisioningPartOptions): Part {
  const desk = new PhoneDesk({
    ...core,
    httpAddress,
    sip: () => driver.bound(),
    provisioned: ({ extension, address, id }) =>
      core.trail.audit.record({ actor: `phone:${extension}`, address, deed: 'phone.provision', object: id }),
  })
  return { name: 'provisioning', routes: phoneRoutes(desk) }
}
