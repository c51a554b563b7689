"""How does a model say one sentence, in the words of the four interfaces that agent programs speak?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

JSON = "application/json"
STREAM = "text/event-stream"
_ID = "trueup-rehearsal"

Said = tuple[str, bytes]
"""The kind of content, and the content."""


def answer(path: str, question: Mapping[str, Any], text: str) -> Said | None:
    """What the address `path` answers; None for an address at which no model sits."""
    address = path.partition("?")[0].rstrip("/")
    if address.endswith(("/count_tokens", ":countTokens", "/input_tokens")):
        return JSON, json.dumps({"input_tokens": 1, "totalTokens": 1}).encode()
    speak = next((speak for ending, speak in _WIRES.items() if address.endswith(ending)), None)
    if speak is None:
        return None
    streamed = bool(question.get("stream")) or address.endswith(":streamGenerateContent")
    return speak(str(question.get("model") or "model"), text, streamed=streamed)


def _messages(model: str, text: str, *, streamed: bool) -> Said:
    """Anthropic Messages."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    block = {"type": "text", "text": text}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    whole = {
        "id": _ID,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "usage": usage,
        **end,
    }
    if not streamed:
        return _whole(whole)
    return _named(
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {**block, "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    )


def _responses(model: str, text: str, *, streamed: bool) -> Said:
    """OpenAI Responses."""
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": f"{_ID}-1", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    whole = {"id": _ID, "object": "response", "model": model, "status": "completed", "output": [item], "usage": usage}
    if not streamed:
        return _whole(whole)
    return _named(
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", "item_id": item["id"], "output_index": 0, "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    )


def _content(model: str, text: str, *, streamed: bool) -> Said:
    """Gemini: the stream is one piece."""
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": _ID}
    return _stream(_data(whole)) if streamed else _whole(whole)


def _chat(model: str, text: str, *, streamed: bool) -> Said:
    """OpenAI Chat Completions."""
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": _ID, "created": 1, "model": model}
    if not streamed:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return _whole({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    base["object"] = "chat.completion.chunk"
    spoken = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = ({"choices": [spoken]}, {"choices": [ended]}, {"choices": [], "usage": usage})
    return _stream(*(_data({**base, **chunk}) for chunk in chunks), "data: [DONE]\n\n")


_WIRES: Mapping[str, Callable[..., Said]] = {
    "/messages": _messages,
    "/responses": _responses,
    ":generateContent": _content,
    ":streamGenerateContent": _content,
    "/chat/completions": _chat,
}


def _whole(content: Mapping[str, Any]) -> Said:
    return JSON, json.dumps(content).encode()


def _named(*events: Mapping[str, Any]) -> Said:
    """Events that also stand under their name, and are numbered."""
    numbered: Iterator[dict[str, Any]] = ({**event, "sequence_number": i} for i, event in enumerate(events))
    return _stream(*(f"event: {event['type']}\n{_data(event)}" for event in numbered))


def _data(content: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(content)}\n\n"


def _stream(*pieces: str) -> Said:
    return STREAM, "".join(pieces).encode()
