/** pbx modem scan at real devices of a rig: a modem, a device at which nothing answers, one that is not there; and which of their names stay. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { probe, serialDevices } from '../../drivers/modem/probe.ts'
import { build, Rig } from './rig.ts'

await build()

t.test('a fax modem is found with what it can; silence and nothing are told apart', async (t) => {
  const rig = await new Rig(1).open()
  t.teardown(() => rig.close())
  const found = await probe(rig.device(0), { answerMs: 500, speed: 10 })
  t.match(found, { kind: 'modem', roles: ['fax'] })
  t.ok(found.identification.length > 0)
  t.match(await probe(join(t.testdir(), 'ttyUSB7')), { kind: 'closed', reason: /There is no device/ })
})

t.test(
  'names that stay: by the number of the device, by the socket where adapters have none, as they are where udev gave none',
  async (t) => {
    const dev = t.testdir({ serial: { 'by-id': {}, 'by-path': {} } })
    const device = (name: string, id: string, path: string): void => {
      writeFileSync(join(dev, name), '')
      if (id !== '') symlinkSync(join('../..', name), join(dev, 'serial/by-id', id))
      if (path !== '') symlinkSync(join('../..', name), join(dev, 'serial/by-path', path))
    }
    mkdirSync(join(dev, 'pts'))
    device('ttyACM0', 'usb-U.S.Robotics_USB_Modem_000000002-if00', 'pci-0000:00:14.0-usb-0:1:1.0')
    device('ttyUSB0', 'usb-Prolific_Technology_Inc._USB-Serial_Controller-if00-port0', 'pci-0000:00:14.0-usb-0:2:1.0-port0')
    device('ttyUSB1', 'usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0', 'pci-0000:00:14.0-usb-0:3:1.0-port0')
    device('ttyUSB2', '', 'pci-0000:00:14.0-usb-0:4:1.0-port0')
    device('ttyUSB3', '', '')
    t.same(
      serialDevices(dev)
        .map((name) => basename(name))
        .toSorted(),
      [
        'pci-0000:00:14.0-usb-0:2:1.0-port0',
        'pci-0000:00:14.0-usb-0:4:1.0-port0',
        'ttyUSB3',
        'usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0',
        'usb-U.S.Robotics_USB_Modem_000000002-if00',
      ],
    )
    t.same(serialDevices(join(dev, 'pts')), [])
  },
)
