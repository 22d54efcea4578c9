/** What cannot be drawn says so, and leaves the rest of the page as it is. */
import { Component, type ComponentChildren } from 'preact'
import { Fault } from '../frame/api.ts'
import { sentence } from '../frame/faults.ts'
import { say } from './words.ts'

export class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly failed: boolean }> {
  static override getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render() {
    if (this.state.failed !== true) return this.props.children
    return (
      <div class="fault" role="group">
        <p>{sentence(new Fault(500, {}))}</p>
        <div class="acts">
          <button type="button" class="btn small" onClick={() => this.setState({ failed: false })}>
            {say('again')}
          </button>
        </div>
      </div>
    )
  }
}
