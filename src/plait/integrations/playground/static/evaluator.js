// What evaluates a request: the server that this page is from. The static build has another one: plait in this browser.
export const note = "Files go to plait on this machine, and nowhere else.";
// Until the first answer.
export const loading = "Evaluating …";
// Where a link opens.
export const reach = " It opens on this machine alone.";
// Of the header: [text, address].
export const links = [];

export async function evaluate(request) {
  const response = await fetch("evaluate", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.refused);
  return answer;
}
