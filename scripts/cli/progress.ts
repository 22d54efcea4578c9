/** A progress bar on standard error, where that is a terminal. */

const width = 24

export interface ProgressBar {
  /** Numbers in seconds of audio. */
  show(done: number, total: number): void
  end(): void
}

export function progressBar(what: string): ProgressBar {
  const { stderr } = process
  let drawn = false
  return {
    show(done, total) {
      if (!stderr.isTTY || total <= 0) return
      const part = Math.min(1, done / total)
      const full = Math.round(part * width)
      stderr.write(
        `\r${what} ${'█'.repeat(full)}${'░'.repeat(width - full)} ${Math.round(part * 100)} %  ${Math.round(done)} of ${Math.round(total)} s`,
      )
      drawn = true
    },
    end() {
      if (drawn) stderr.write('\r\u001b[K')
      drawn = false
    },
  }
}
