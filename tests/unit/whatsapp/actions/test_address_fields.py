"""Properties of the fields and rules of addresses."""

from hypothesis import given
from hypothesis import strategies as st

from whatsapp.actions.contacts import address_fields

VALUES = st.text(max_size=30) | st.integers() | st.none()
GIVEN = st.dictionaries(
    st.sampled_from(["name", "phoneNumber", "address", "city", "state", "in_pin_code", "x"]), VALUES
)


@given(GIVEN)
def test_an_address_has_bounded_texts_only(address: dict[str, object]) -> None:
    fields = address_fields.fields_of(address)

    assert len(fields) <= address_fields.MOST_FIELDS
    assert all(0 < len(text) <= address_fields.LONGEST_TEXT for text in fields.values())


@given(GIVEN)
def test_an_address_that_is_good_in_india_is_good_elsewhere(address: dict[str, object]) -> None:
    in_india = address_fields.problems_of(address, "IN")
    elsewhere = address_fields.problems_of(address, "other")

    assert elsewhere.keys() <= in_india.keys()
