import '../../styles/schemas.css'
import { useId } from 'preact/hooks'
import { Text } from '../../parts/text/Text.js'
import { kindOf } from '../field-kinds.js'
import { resolveSchema } from '../resolve-schema.js'
import type { FormState } from './form-state.js'
import { ObjectMembers } from './ObjectField.js'
import { FieldMessages, SchemaField } from './SchemaField.js'

export function SchemaForm({ form, nothing = 'The tool takes no arguments.' }: { form: FormState; nothing?: string }) {
  const { document, value } = form
  const name = useId()
  const shape = resolveSchema(document, document.root, value.value)
  const place = { form, path: [], id: name, depth: 0 }
  return (
    <div class="schema-form stack far">
      {typeof document.check !== 'function' && (
        <p class="notice warning little">
          The arguments cannot be checked here, because <Text of={document.check.why} /> The gateway checks it.
        </p>
      )}
      {kindOf(shape) === 'group' ? (
        <>
          <ObjectMembers place={place} shape={shape} value={value.value} nothing={nothing} />
          <FieldMessages place={place} />
        </>
      ) : (
        <SchemaField place={place} schema={document.root} label="Arguments" required />
      )}
    </div>
  )
}
