import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './Button.js'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly actions?: ComponentChildren
  readonly wide?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is rendered. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, actions, wide, children }: Props) {
  const place = useRef<HTMLDialogElement>(null)
  const name = useId()
  useEffect(() => {
    const before = document.activeElement
    place.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog ref={place} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={name} onClose={onClose}>
      <header class="bar">
        <h2 id={name}>{title}</h2>
        <Button variant="quiet" icon="cross" aria-label="Close" onClick={() => place.current?.close()} />
      </header>
      <div class="dialog-body stack far">{children}</div>
      {actions && <footer class="cluster">{actions}</footer>}
    </dialog>
  )
}
