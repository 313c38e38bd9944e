import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { FieldInput } from './field-input.tsx'
import { type FieldSchema, type SchemaField, toArguments, toFields } from './schema-fields.ts'

/** What a field may be completed to, given what stands in all of them. */
export type Complete = (name: string, value: string, typed: ReadonlyMap<string, string>) => Promise<readonly string[]>

export interface FormProps {
  readonly schema: FieldSchema
  /** What it is for: the name of a tool. */
  readonly label: string
  /** What stands on its button. */
  readonly action: string
  readonly isBusy?: boolean
  readonly children?: ComponentChildren
  onSubmit(args: Record<string, unknown>): void
  readonly complete?: Complete
}

/** A form for whatever a schema asks for. */
export function Form({ schema, label, action, isBusy = false, children, onSubmit, complete }: FormProps) {
  const fields = toFields(schema)
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())

  function submit(event: Event): void {
    event.preventDefault()
    if (isBusy) return
    const made = toArguments(fields, typed)
    setProblems(made.problems)
    if (made.problems.size === 0) onSubmit(made.args)
  }

  return (
    <form onSubmit={submit} noValidate aria-label={label}>
      {fields.length === 0 && <p class="quiet">It takes no arguments.</p>}
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={typed.get(field.name) ?? field.initial}
          problem={problems.get(field.name)}
          onType={(text) => setTyped((before) => new Map(before).set(field.name, text))}
          complete={complete && ((text) => complete(field.name, text, typed))}
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
  readonly field: SchemaField
  readonly value: string
  readonly problem: string | undefined
  onType(text: string): void
  readonly complete: ((text: string) => Promise<readonly string[]>) | undefined
}

function FormField({ field, value, problem, onType, complete }: FormFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id} id={`${id}-label`}>
        <bdi>{field.label}</bdi>
        {field.isRequired && <span class="needed"> needed</span>}
      </label>
      <FieldInput
        id={id}
        field={field}
        value={value}
        hasProblem={problem !== undefined}
        onType={onType}
        complete={complete}
      />
      <p id={`${id}-about`} class="about">
        {problem !== undefined && <strong class="problem">{problem} </strong>}
        <span class="hint">
          {field.hint}
          {field.hint && field.description && ': '}
        </span>
        <bdi>{field.description}</bdi>
      </p>
    </div>
  )
}
