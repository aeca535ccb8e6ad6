import type { ComponentChildren } from 'preact'

type Props = {
  readonly title: string
  /** A sentence about what is here. */
  readonly lead?: ComponentChildren
  /** Buttons and choices beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A view of the page, with its heading of the first level. Headings within begin with `h2`. */
export const View = ({ title, lead, actions, children }: Props) => (
  <div class="view">
    <header class="view-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="view-lead">{lead}</p>}
      </div>
      {actions && <div class="view-actions">{actions}</div>}
    </header>
    {children}
  </div>
)
