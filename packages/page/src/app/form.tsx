import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Field, type JsonSchema, toArguments, toFields } from './schema-fields.ts'

export interface FormProps {
  readonly schema: JsonSchema
  readonly action: string
  readonly isBusy?: boolean
  readonly children?: JSX.Element | undefined
  onSubmit(args: Record<string, unknown>): void
  /** Offers what a field may be completed to. */
  complete?(name: string, typed: string): Promise<readonly string[]>
}

/** A form for whatever a schema asks for. */
export function Form({ schema, action, isBusy = false, children, onSubmit, complete }: FormProps) {
  const fields = toFields(schema)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})

  function submit(event: Event): void {
    event.preventDefault()
    const made = toArguments(fields, typed)
    setProblems(made.problems)
    if (Object.keys(made.problems).length === 0) onSubmit(made.args)
  }

  return (
    <form onSubmit={submit} noValidate>
      {fields.length === 0 && <p class="quiet">It takes no arguments.</p>}
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={typed[field.name] ?? field.initial}
          problem={problems[field.name]}
          onType={(text) => setTyped((before) => ({ ...before, [field.name]: text }))}
          {...(complete && { complete })}
        />
      ))}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {action}
        </button>
        {children}
      </div>
    </form>
  )
}

interface FormFieldProps {
  readonly field: Field
  readonly value: string
  readonly problem: string | undefined
  onType(text: string): void
  complete?(name: string, typed: string): Promise<readonly string[]>
}

function FormField({ field, value, problem, onType, complete }: FormFieldProps) {
  const [offered, setOffered] = useState<readonly string[]>([])
  const id = `field-${field.name}`
  const about = `${id}-about`

  function type(text: string): void {
    onType(text)
    if (complete) void complete(field.name, text).then(setOffered, () => setOffered([]))
  }

  const common = {
    id,
    value,
    'aria-describedby': about,
    'aria-invalid': problem !== undefined,
    'aria-required': field.isRequired,
    onInput: (event: Event) => type((event.currentTarget as HTMLInputElement).value),
  }
  return (
    <div class="field">
      <label for={id}>
        <bdi>{field.label}</bdi>
        {field.isRequired && <span class="needed"> needed</span>}
      </label>
      <FieldInput
        field={field}
        common={common}
        list={offered.length > 0 ? `${id}-offered` : undefined}
        onFocus={() => complete && type(value)}
      />
      {offered.length > 0 && (
        <datalist id={`${id}-offered`}>
          {offered.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <p id={about} class="about">
        {problem !== undefined && <strong class="problem">{problem} </strong>}
        <span class="hint">{field.hint}</span> <bdi>{field.description}</bdi>
      </p>
    </div>
  )
}

interface CommonProps {
  readonly id: string
  readonly value: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
  readonly 'aria-required': boolean
  onInput(event: Event): void
}

interface FieldInputProps {
  readonly field: Field
  readonly common: CommonProps
  readonly list: string | undefined
  onFocus(): void
}

function FieldInput({ field, common, list, onFocus }: FieldInputProps) {
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
  const inputmode = field.kind === 'number' ? 'decimal' : 'text'
  return <input {...common} type="text" inputmode={inputmode} autocomplete="off" list={list} onFocus={onFocus} />
}
