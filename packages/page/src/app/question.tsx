import { Form } from './form.tsx'
import { type OpenQuestion, questions } from './questions.ts'
import type { FieldSchema } from './schema-fields.ts'

/** What a function asks of whoever called it, the oldest first. */
export function Questions() {
  const [question] = questions.value
  return question ? <QuestionDialog key={question.seq} question={question} /> : null
}

function QuestionDialog({ question }: { question: OpenQuestion }) {
  const { params } = question
  const schema = ('requestedSchema' in params ? params.requestedSchema : {}) as FieldSchema
  return (
    <dialog
      ref={(dialog) => {
        if (dialog && !dialog.open) dialog.showModal()
      }}
      aria-labelledby="question"
      onCancel={() => question.answer({ action: 'cancel' })}
    >
      <h2 id="question">A question</h2>
      <p class="long">
        <bdi>{params.message}</bdi>
      </p>
      <Form
        schema={schema}
        label="Answer"
        action="Answer"
        onSubmit={(content) => question.answer({ action: 'accept', content: content as Record<string, string> })}
      >
        <button type="button" onClick={() => question.answer({ action: 'decline' })}>
          Decline
        </button>
      </Form>
    </dialog>
  )
}
