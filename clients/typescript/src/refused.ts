import type { Problem, ProblemFinding } from "./types.js";

/** The service refused a request. `message` can be shown to a player; `errors` say where and why, with a `code` to branch on. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly errors: ProblemFinding[];

  /** `retryAfter`: seconds to wait before the same request makes sense again, if the service said so. */
  constructor(
    readonly problem: Problem,
    readonly retryAfter: number | null = null,
  ) {
    super(problem.detail);
    this.status = problem.status;
    this.errors = problem.errors;
  }
}

/** The refusal in a response. What a proxy answers instead of the service is made into one. */
export async function refusalIn(response: Response): Promise<Refused> {
  const text = await response.text();
  const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new Refused(parsed(text) ?? standIn(response), Number.isNaN(seconds) ? null : seconds);
}

function parsed(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Partial<Problem> | null;
    return problem?.detail !== undefined && problem.errors ? (problem as Problem) : null;
  } catch {
    return null;
  }
}

function standIn({ status, statusText }: Response): Problem {
  const title = statusText || "Error";
  return { type: "about:blank", title, status, detail: `the service could not be asked: ${status} ${title}`, errors: [] };
}
