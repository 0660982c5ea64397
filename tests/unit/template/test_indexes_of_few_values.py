"""No module reads an index of the contracts whose partitions all companies, or all projects of one, share."""

from pathlib import Path

FUNCTIONS = Path(__file__).parents[3] / "functions"
# By module: its reason to name the index. None is a read.
NAMED = {
    "gsi_direction": {
        "whatsapp/store/items/conversations/messages.py": "declares it",
        "whatsapp/actions/conversations/message_lists.py": "a comment",
        "console/operations/deployment.py": "lists the indexes of a deployment",
    },
    "gsi_status": {
        "whatsapp/store/items/conversations/messages.py": "declares it",
        "console/operations/deployment.py": "as above",
        "whatsapp/worker/messages/intake.py": "a comment",
    },
    "company-id-project-id-index": {
        "console/operations/deployment.py": "as above",
    },
}


def test_no_module_reads_an_index_of_few_values() -> None:
    texts = {str(path.relative_to(FUNCTIONS)): path.read_text() for path in FUNCTIONS.rglob("*.py")}
    found = {index: {module for module, text in texts.items() if index in text} for index in NAMED}

    assert found == {index: set(modules) for index, modules in NAMED.items()}
