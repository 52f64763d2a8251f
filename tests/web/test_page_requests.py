"""Messages from the page that its server does not accept."""

import pytest

from pond_hw.web.page_requests import MAX_MESSAGE_BYTES, parse_page_request
from tests.conftest import each


@each(
    "text",
    [
        '{"command":"undo","turn":0}',
        '{"command":"hint","turn":1}',
        '{"command":"new","variant":"mini","players":{"light":null,"dark":"nobody"},"names":{"light":null,"dark":null}}',
        '{"command":"new","variant":"mini","players":{"light":null,"dark":null}}',
        '{"command":"brightness","brightness":0}',
        '{"command":"exercise","course":"lessons"}',
        '{"command":"exercise","choice":"ask"}',
        '{"command":"exercise","choice":"resume"}',
        '{"command":"exercise","choice":["next"]}',
        '{"command":"undo","confirm":true}',
        '{"command":"answer","request":{"undo":1},"version":0}',
        '{"command":"link","online":true}',
        '{"command":"new","variant":"mini","confirm":true}',
        '{"command":"action","action":"@b2","side":"dark"}',
        '{"command":"help","side":"dark","level":"none","confirm":true}',
        '{"command":"brightness","brightness":0.5,"brightness":0.6}',
        '{"command":"seat","sides":["light"]}',
        '{"command":"seats","seats":[]}',
        '{"command":"games"}',
        '{"ask":"undo"}',
        '{"ask":"state"}',
        '{"touch":"b2"}',
        '{"wait":1}',
        '{"lift":"a1"}',
        '{"drop":"a1"}',
        '{"drop":"a1","owner":"dark"}',
        '{"take":"a1"}',
        '{"board":"pieces"}',
        '{"import":"1. @b2"}',
        '{"trial":{}}',
        '{"command":"exercise","course":"lessons","name":"hop","choice":"next"}',
        '{"command":"hint_limit","side":"light","hints":0}',
        '{"ask":"game","number":0}',
        '{"ask":"game"}',
        '{"seat":[]}',
        '{"language":["nl"]}',
        '{"revoke":1.0}',
        '[{"seat":null}]',
        '{"seat":null,"seat":null,"x":1}',
        " " * MAX_MESSAGE_BYTES + "{}",
        "[" * 990,
        '{"command":"brightness","brightness":1' + 400 * "0" + "}",
    ],
)
def test_invalid_requests_raise(text):
    with pytest.raises(ValueError, match=r"."):
        parse_page_request(text)
