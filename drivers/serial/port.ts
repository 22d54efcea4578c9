/** The serial device: the only file that knows serialport's packages. Locked against other programs; pseudo terminals have no control lines and may. */
import { read } from 'node:fs'
import { promisify } from 'node:util'
import { LinuxBinding, type LinuxBindingInterface } from '@serialport/bindings-cpp'
import { unixRead } from '@serialport/bindings-cpp/dist/unix-read.js'
import { SerialPortStream } from '@serialport/stream'

/** A missing device is looked for this often: that costs nothing, and the person who plugs it in is waiting. */
const missingMs = 5000

/** How long to wait before a device is opened again: twice as long as the last time, `most` at most; in milliseconds. */
export function nextWait(lastMs: number, most: number, isMissing: boolean): number {
  return Math.min(lastMs * 2, isMissing ? Math.min(most, missingMs) : most)
}

export interface PortHandlers {
  data(bytes: Buffer): void
  /** Once: the device is gone, or was closed. */
  closed(): void
}

export interface Port {
  /** `written`: the device has taken them, or is gone. */
  write(bytes: Buffer | string, written?: () => void): void
  /** Throws away what waits in both directions. */
  flush(): Promise<void>
  /** Data terminal ready; false where the device has no such line. */
  setDtr(on: boolean): Promise<boolean>
  close(): Promise<void>
}

export class PortError extends Error {
  readonly reason: 'missing' | 'in-use' | 'forbidden' | 'failed'
  constructor(reason: PortError['reason'], text: string) {
    super(text)
    this.reason = reason
  }
}

function explain(device: string, message: string): PortError {
  if (/no such file|cannot find/i.test(message)) return new PortError('missing', `There is no device ${device}`)
  if (/cannot lock|busy/i.test(message)) return new PortError('in-use', `${device} is in use by another program`)
  if (/permission denied/i.test(message)) return new PortError('forbidden', `${device} may not be opened by this user (group dialout)`)
  return new PortError('failed', `${device} could not be opened: ${message}`)
}

const readBytes = promisify(read)

/** A terminal whose modem was unplugged gives no bytes, for ever (read(2)); while there is one, a read without bytes is EAGAIN. */
async function readSome(...args: Parameters<typeof readBytes>): ReturnType<typeof readBytes> {
  const result = await readBytes(...args)
  if (result.bytesRead === 0) throw new Error('The device is gone')
  return result
}

/** Linux's, but for the end of a device: unixRead() asks again at once and for ever where a read gives no bytes. */
const binding: LinuxBindingInterface = {
  list: () => LinuxBinding.list(),
  open: async (options) => {
    const port = await LinuxBinding.open(options)
    port.read = (buffer, offset, length) => unixRead({ binding: port, buffer, offset, length, fsReadAsync: readSome as typeof readBytes })
    return port
  },
}

/** 8N1, exclusive. Rejects with a PortError. */
export function openPort(device: string, options: { baudRate: number; rtscts: boolean }, handlers: PortHandlers): Promise<Port> {
  return new Promise((resolve, reject) => {
    const serial = new SerialPortStream({
      path: device,
      binding,
      ...options,
      lock: true,
      hupcl: true,
      autoOpen: false,
      highWaterMark: 4096,
    })
    let over = false
    const closed = (): void => {
      if (over) return
      over = true
      handlers.closed()
    }
    const port: Port = {
      write: (bytes, written) => {
        if (!over && serial.isOpen) serial.write(bytes, written)
        else written?.()
      },
      flush: () => new Promise((done) => (serial.isOpen ? serial.flush(() => done()) : done())),
      setDtr: (on) => new Promise((done) => (serial.isOpen ? serial.set({ dtr: on }, (error) => done(error === null)) : done(false))),
      close: () =>
        new Promise((done) => {
          if (!serial.isOpen) return done()
          serial.close(() => {
            closed()
            done()
          })
        }),
    }
    // With a listener of data the end of the device is noticed at once; errors are followed by 'close'.
    serial.on('data', (bytes: Buffer) => handlers.data(bytes))
    serial.on('error', () => undefined)
    serial.on('close', closed)
    serial.open((error) => {
      if (error === null || error === undefined) resolve(port)
      else reject(explain(device, error.message))
    })
  })
}
