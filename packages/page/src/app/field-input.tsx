import { useRef, useState } from 'preact/hooks'
import type { Choice, SchemaField } from './schema-fields.ts'

export interface FieldInputProps {
  /** Its label has this and `-label`, what is said about it this and `-about`. */
  readonly id: string
  readonly field: SchemaField
  readonly value: string
  readonly hasProblem: boolean
  onType(text: string): void
  readonly complete: ((text: string) => Promise<readonly string[]>) | undefined
}

/** Where one field of a form is filled in. */
export function FieldInput(props: FieldInputProps) {
  const { id, field, value, hasProblem, onType } = props
  const common = {
    id,
    value,
    'aria-describedby': `${id}-about`,
    'aria-invalid': hasProblem,
    'aria-required': field.isRequired,
    onInput: (event: Event) => onType((event.currentTarget as HTMLInputElement).value),
  }
  if (field.kind === 'choices') return <Checkboxes {...props} />
  if (field.kind === 'choice') {
    return (
      <select {...common}>
        <option value="">{field.isRequired ? 'choose' : '(left out)'}</option>
        {field.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    )
  }
  if (field.kind === 'json' || field.kind === 'long text') {
    const rows = field.kind === 'json' ? 4 : 3
    return <textarea {...common} rows={rows} spellcheck={false} placeholder={field.kind === 'json' ? 'JSON' : ''} />
  }
  return <TextInput {...props} common={common} />
}

/** A line of text; with what it may be completed to, where somebody knows that. */
function TextInput({ id, field, value, onType, complete, common }: FieldInputProps & { common: object }) {
  const [offered, setOffered] = useState<readonly string[]>([])
  /** Answers may overtake each other. */
  const turn = useRef(0)

  function offer(text: string): void {
    if (complete === undefined) return
    turn.current += 1
    const own = turn.current
    const take = (values: readonly string[]) => own === turn.current && setOffered(values)
    complete(text).then(take, () => take([]))
  }

  const list = offered.length > 0 ? `${id}-offered` : undefined
  const isNumber = field.kind === 'number' || field.kind === 'whole number'
  return (
    <>
      <input
        {...common}
        type="text"
        inputmode={isNumber ? 'decimal' : 'text'}
        autocomplete="off"
        list={list}
        onFocus={() => offer(value)}
        onInput={(event) => {
          onType(event.currentTarget.value)
          offer(event.currentTarget.value)
        }}
      />
      {list && (
        <datalist id={list}>
          {offered.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

function Checkboxes({ id, field, value, onType }: FieldInputProps) {
  const chosen = new Set(parseList(value).map((each) => JSON.stringify(each)))

  function toggle({ value: own }: Choice): void {
    const next = field.choices.filter((each) => chosen.has(each.value) !== (each.value === own))
    onType(next.length === 0 ? '' : `[${next.map((each) => each.value).join(',')}]`)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: its label stands outside, like those of all fields
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      {field.choices.map((choice) => (
        <label key={choice.value} class="check">
          <input type="checkbox" checked={chosen.has(choice.value)} onChange={() => toggle(choice)} />{' '}
          <bdi>{choice.label}</bdi>
        </label>
      ))}
    </div>
  )
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
