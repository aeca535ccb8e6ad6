import { Text } from '../parts/text/Text.js'
import type { Json, JsonObject } from '../schemas/json.js'
import { Link } from './Link.js'
import { sizeText } from './media.js'

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** A link to something that the tool did not send along. */
export function ResourceLink({ of: { uri, name, title, description, mimeType, size } }: { of: JsonObject }) {
  const about = [textIn(mimeType), typeof size === 'number' ? sizeText(size) : ''].filter(Boolean).join(' · ')
  return (
    <div class="resource-card">
      <p>
        <span class="muted">Link: </span>
        <strong>
          <Text of={textIn(title) || textIn(name) || 'without a name'} />
        </strong>{' '}
        {about && (
          <span class="muted little">
            <Text of={about} />
          </span>
        )}
      </p>
      {textIn(description) && (
        <p>
          <Text of={textIn(description)} />
        </p>
      )}
      <Link of={textIn(uri)} />
    </div>
  )
}
